"""Checks that every class of a list has to pass, in one test per class and file."""

import inspect


class Promises:
    """Collects checks; a class adds one test to a file, not one for each of them.

    As a decorator of a function of a name: of every class that is checked, or with `of` of those.
    A check may take fixtures that the test hands on.
    """

    def __init__(self):
        self._checks = []

    def __call__(self, check):
        self._checks.append((check, None))
        return check

    def of(self, names):
        """Return a decorator of a check that some classes have to pass."""

        def decorate(check):
            self._checks.append((check, frozenset(names)))
            return check

        return decorate

    def check(self, name, **fixtures):
        """Make every check of a class; those that fail are told together, by their names."""
        failures = []
        for check, names in self._checks:
            if names is not None and name not in names:
                continue
            taken = fixtures.keys() & inspect.signature(check).parameters.keys()
            try:
                check(name, **{key: fixtures[key] for key in taken})
            except Exception as error:
                error.add_note(f"{name}: {check.__name__}")
                failures.append(error)
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise ExceptionGroup(f"{name} breaks {len(failures)} promises", failures)
