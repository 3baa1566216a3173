"""Options of figures and tables: fragments of their schemas, and a check that no schema makes."""

from collections.abc import Collection, Iterator
from typing import Any

from nbmf.errors import choices
from nbmf_studies.framework.plan import Plan

K_OF_METHOD = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}


def closed(required: list[str], **properties) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others."""
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def unknown(place: str, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield a problem if `name` is none of the `known` names."""
    if name not in known:
        yield f"{place} = {name!r}: {choices(name, known)}"


def unknown_methods(plan: Plan, option: str) -> Iterator[str]:
    """Yield a problem for each of an option's `methods`, a list or a mapping, that is unknown."""
    methods = plan.options[option]["methods"]
    for i, method in enumerate(methods):
        place = f".methods.{method}" if isinstance(methods, dict) else f".methods[{i}]"
        yield from unknown(place, method, plan.names("methods"))
