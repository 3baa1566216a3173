"""What holds for all tests: the order of their files, how patient Hypothesis is, and a quicker choice."""

import hypothesis
import pytest
from quick_choice import choose_quickly
from quick_pictures import draw_quickly

LONGEST = ("test_workflow.py", "test_cli.py")  # files, of the tests that run Snakemake and of the others

# A busy machine takes longer than the usual 200 ms for an example now and then: that is no failure.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


@pytest.fixture(name="quick_choice")
def _quick_choice():
    """Choose among methods in less time; tests of the choice itself do without."""
    with choose_quickly():
        yield


@pytest.fixture(name="quick_pictures")
def _quick_pictures():
    """Write empty pictures: others look at those of commands."""
    with draw_quickly():
        yield


def pytest_collection_modifyitems(items):
    """Let no worker wait at the end for a file of another that takes minutes: the longest files begin."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
