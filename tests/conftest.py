"""What holds for all tests: their order, how patient Hypothesis is, a quicker choice, and no figure left open."""

import sys

import hypothesis
import pytest
from quick_choice import choose_quickly
from quick_pictures import draw_quickly

import nbmf
from nbmf import registry

LONGEST = ("test_workflow.py", "test_cli.py")  # files, of the tests that run Snakemake and of the others

# A busy machine takes longer than the usual 200 ms for an example now and then: that is no failure.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


def pytest_addoption(parser):
    """Let what every class promises be asked of a class outside nbmf, in the same tests."""
    parser.addoption(
        "--also", metavar="MODULE:CLASS", help="a method of your own, as in the entry of its configuration"
    )


def pytest_configure(config):
    """Make it one of nbmf's for the tests that are collected after this."""
    if also := config.getoption("--also"):
        module, name = also.split(":")
        nbmf.EXPORTS[name] = module
        registry.ESTIMATORS = (*registry.ESTIMATORS, module)


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what a test has drawn: pyplot keeps every figure until then."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):  # which most tests never import
        pyplot.close("all")


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
