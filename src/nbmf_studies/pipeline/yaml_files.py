"""Configuration files that are not YAML, and keys that stand twice in one: YAML drops what the first one says.

    python -m nbmf_studies.pipeline.yaml_files my.yaml

names the file and the line. Snakemake names neither for an overlay, which it reads before anything of the workflow.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from nbmf.errors import ConfigError

# Every job reads the configuration: the parser in C is ten times as fast.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check(files: Iterable[str | Path]) -> None:
    """Raise ConfigError for the first file that is not YAML, and the first key that stands twice in a mapping of one.

    A file that is not there is left to Snakemake, which reads it.
    """
    for file in map(Path, files):
        for problem in _repeated(file, _parsed(file)):
            raise ConfigError(f"configuration: {problem}")


def _parsed(file: Path) -> yaml.Node | None:
    """Return what a file holds.

    Raises
    ------
    ConfigError
        If it is not YAML in UTF-8: it names the line.
    """
    try:
        return yaml.compose(file.read_bytes().decode("utf-8-sig"), Loader=_Loader)
    except OSError:
        return None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"configuration: {file}, line {line}: is not in UTF-8; save the file as UTF-8") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"configuration: {file}{_what_is_wrong(error)}") from None


def _what_is_wrong(error: yaml.YAMLError) -> str:
    """Return in a line where YAML ended and what it met there."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:  # of a character that no text has
        return f": is not YAML: {' '.join(str(error).split())}"
    parts = [error.context, error.problem]
    words = ", ".join(part for part in parts if part)
    start = error.context_mark
    since = f" (it began in line {start.line + 1})" if start and start.line != mark.line else ""
    return f", line {mark.line + 1}, column {mark.column + 1}: is not YAML: {words}{since}"


def _repeated(file: Path, top: yaml.Node | None) -> Iterator[str]:
    waiting, seen = [("", top)], set()
    while waiting:
        where, node = waiting.pop()
        if id(node) in seen:  # an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting.extend((f"{where}[{i}]", entry) for i, entry in enumerate(node.value))
        if not isinstance(node, yaml.MappingNode):
            continue
        first: dict[str, int] = {}
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            key_path = f"{where}.{name}".removeprefix(".")
            if name in first and name != "<<":
                yield (
                    f"{file}, line {line}: the key {key_path!r} is in line {first[name]} already, "
                    "and only the last one would be read; join them"
                )
            first.setdefault(name, line)
            waiting.append((key_path, value))


if __name__ == "__main__":
    try:
        check(sys.argv[1:])
    except ConfigError as error:
        sys.exit(str(error))
