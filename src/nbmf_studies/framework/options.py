"""Options of figures and tables: fragments of their schemas, and a check that no schema makes."""

from collections.abc import Collection, Iterator
from typing import Any

from nbmf.errors import must_be_one_of
from nbmf_studies.framework.plan import Plan

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
K_OF_METHOD = {"type": "object", "additionalProperties": COUNT}


def several(items: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a list of different values, one at least."""
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": items}


NAMES = several({"type": "string"})
COUNTS = several(COUNT)


def closed(required: Collection[str] | None = None, **properties) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others; all are required unless some are named."""
    named = list(properties if required is None else required)
    return {"type": "object", "additionalProperties": False, "required": named, "properties": properties}


def unknown(place: str, name: str, known: Collection[str]) -> Iterator[str]:
    """Yield a problem if `name` is none of the `known` names."""
    if name not in known:
        yield f"{place} = {name!r}: {must_be_one_of(name, known)}"


def unknown_methods(plan: Plan, option: str) -> Iterator[str]:
    """Yield a problem for each of an option's `methods`, a list or a mapping, that is unknown."""
    methods = plan.options[option]["methods"]
    for i, method in enumerate(methods):
        key_path = f".methods.{method}" if isinstance(methods, dict) else f".methods[{i}]"
        yield from unknown(key_path, method, plan.names("methods"))
