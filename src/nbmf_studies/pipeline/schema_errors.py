"""What a schema finds wrong with a configuration, in one line for a person."""

from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema.exceptions import ValidationError

from nbmf.errors import choices, did_you_mean

RENAMED = {"held_back": "holdout", "fewer": "overrides"}  # keys of a study, from what they were called until 0.1
MAX_SHOWN = 200  # characters of a wrong value in a message
# The types of JSON schema in the words of a person who writes YAML.
TYPES = {
    "array": "a list",
    "object": "a mapping",
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
RULES = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "a list of at least {}",
    "maxItems": "a list of at most {}",
    "minProperties": "a mapping of at least {}",
    "uniqueItems": "a list without repetitions",
    "const": "{}",
}


def one_line(error: ValidationError, config: Mapping[str, Any]) -> str:
    """Say in one line which key of `config` is wrong and what is allowed there."""
    error = _most_telling(error)
    where, instance = _path(error), error.instance
    match error.validator:
        case "additionalProperties":
            unknown = next(key for key in instance if key not in error.schema["properties"])
            prefix = f"{where}: " if where else ""
            if RENAMED.get(unknown) in error.schema["properties"]:
                return f"{prefix}the key {unknown!r} is called {RENAMED[unknown]!r} now"
            return f"{prefix}unknown key {unknown!r}; {choices(unknown, error.schema['properties'])}"
        case "required":
            missing = next(key for key in error.validator_value if key not in instance)
            # An entry that has the first of these keys is a new one, and no misspelt name of another.
            is_new = error.validator_value[0] in instance
            hint = "" if is_new else hint_of_entry(error.absolute_path, config)
            return f"{where or 'top level'}: the key {missing!r} is missing{hint}"
    if "propertyNames" in list(error.absolute_schema_path)[-2:]:
        quotes = "" if isinstance(instance, str) else ", which YAML reads from a name in quotes"
        return f"{where}: the name {shown(instance)} must be {_rule(error)}{quotes}"
    return f"{where} = {shown(instance)}: must be {_rule(error)}"


def hint_of_entry(path: Iterable[str | int], config: Mapping[str, Any]) -> str:
    """Return the nearest name of another entry if `path` leads to an entry of `config`, such as methods.bicca.

    An overlay that misspells a name makes a new entry, which lacks what the entry that is meant has.
    """
    steps = list(path)
    if len(steps) != 2:
        return ""
    section, name = steps
    return did_you_mean(name, [other for other in config[section] if isinstance(other, str) and other != name])


def _most_telling(error: ValidationError) -> ValidationError:
    """Return the error itself, or of several alternatives that of the one whose inside is wrong."""
    inner = [e for e in error.context if e.relative_path or e.validator in ("additionalProperties", "required")]
    return inner[0] if inner else error


def _rule(error: ValidationError) -> str:
    """Return in words what the value of an error must be."""
    allowed = error.validator_value
    match error.validator:
        case "type":
            return " or ".join(TYPES[name] for name in ([allowed] if isinstance(allowed, str) else allowed))
        case "enum":
            return " or ".join(map(str, allowed))
        case "anyOf":
            return " or ".join(dict.fromkeys(map(_rule, error.context)))
        case "pattern":  # a person reads no regular expressions
            return error.schema["description"]
        case _:
            return RULES.get(error.validator, f"{error.validator} {{}}").format(allowed)


def shown(value: Any) -> str:
    """Return a value as it was given, cut if it is long."""
    given = repr(value)
    return given if len(given) <= MAX_SHOWN else f"{given[:MAX_SHOWN]} ..."


def _path(error: ValidationError) -> str:
    """Return the place of an error as methods.bica.K[0]."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path]
    return "".join(steps).removeprefix(".")
