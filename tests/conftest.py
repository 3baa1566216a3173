"""The order of the files of tests: those that start Snakemake take longest, and begin."""


def pytest_collection_modifyitems(items):
    """Let no worker wait at the end for a file of another that takes a minute."""
    slow = {item.path for item in items if item.get_closest_marker("workflow")}
    items.sort(key=lambda item: item.path not in slow)
