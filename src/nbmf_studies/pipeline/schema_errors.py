"""What a schema finds wrong with a configuration, in one line for a person."""

from typing import Any

from jsonschema.exceptions import ValidationError

from nbmf.errors import choices

RENAMED = {"held_back": "holdout", "fewer": "overrides"}  # keys of a study, from what they were called until 0.1
MAX_SHOWN = 200  # characters of a wrong value in a message


def one_line(error: ValidationError) -> str:
    """Say in one line which key is wrong and what is allowed there."""
    where = _path(error)
    allowed = error.validator_value
    match error.validator:
        case "additionalProperties":
            unknown = next(key for key in error.instance if key not in error.schema["properties"])
            prefix = f"{where}: " if where else ""
            if RENAMED.get(unknown) in error.schema["properties"]:
                return f"{prefix}the key {unknown!r} is called {RENAMED[unknown]!r} now"
            return f"{prefix}unknown key {unknown!r}; {choices(unknown, error.schema['properties'])}"
        case "required":
            missing = next(key for key in allowed if key not in error.instance)
            return f"{where or 'top level'}: the key {missing!r} is missing"
        case "type":
            rule = f"a value of type {' or '.join([allowed] if isinstance(allowed, str) else allowed)}"
        case "minimum":
            rule = f"at least {allowed}"
        case "maximum":
            rule = f"at most {allowed}"
        case "exclusiveMinimum":
            rule = f"more than {allowed}"
        case "exclusiveMaximum":
            rule = f"less than {allowed}"
        case "minItems":
            rule = f"a list of at least {allowed}"
        case "maxItems":
            rule = f"a list of at most {allowed}"
        case "uniqueItems":
            rule = "a list without repetitions"
        case "pattern":
            rule = error.schema["description"]  # a person reads no regular expressions
        case _:
            rule = f"{error.validator} {allowed}"
    return f"{where} = {shown(error.instance)}: must be {rule}"


def shown(value: Any) -> str:
    """Return a value as it was given, cut if it is long."""
    given = repr(value)
    return given if len(given) <= MAX_SHOWN else f"{given[:MAX_SHOWN]} ..."


def _path(error: ValidationError) -> str:
    """Return the place of an error as methods.bica.K[0]."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path]
    return "".join(steps).removeprefix(".")
