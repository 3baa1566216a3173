"""What holds for all tests: the order of their files, and how patient Hypothesis is."""

import hypothesis

LONGEST = ("test_workflow.py", "test_cli.py")  # files, of the tests that run Snakemake and of the others

# A busy machine takes longer than the usual 200 ms for an example now and then: that is no failure.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")


def pytest_collection_modifyitems(items):
    """Let no worker wait at the end for a file of another that takes minutes: the longest files begin."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
