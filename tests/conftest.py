"""The order of the files of tests: the one that starts Snakemake takes longest, and begins."""


def pytest_collection_modifyitems(items):
    """Let no worker wait at the end for a file of another that takes a minute."""
    items.sort(key=lambda item: item.path.name != "test_workflow.py")
