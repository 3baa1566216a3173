"""The names of the two priors among the methods of config/studies/ohn2022.yaml."""

PREFIX = "ohn2022-"

CIBP = "ohn2022-cibp"
IBP = "ohn2022-ibp"


def short(method: str) -> str:
    """Return the name of a method without the study's."""
    return method.removeprefix(PREFIX)
