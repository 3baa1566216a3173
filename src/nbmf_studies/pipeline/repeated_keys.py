"""Keys that stand twice in a configuration file: YAML keeps the last one and drops what the first one says."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from nbmf.errors import ConfigError

# Every job reads the configuration: the parser in C is ten times as fast.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check(files: Iterable[str | Path]) -> None:
    """Raise ConfigError for the first key that stands twice in a mapping of one of some files.

    A file that is not YAML is left to Snakemake, which reads it.
    """
    for file in files:
        for problem in _repeated(Path(file)):
            raise ConfigError(f"configuration: {problem}")


def _repeated(file: Path) -> Iterator[str]:
    try:
        top = yaml.compose(file.read_text(encoding="utf-8"), Loader=_Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return
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
