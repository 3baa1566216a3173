"""The folder of a command's results: the one that was typed, or one next to what was read."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import BinaryIO

from nbmf.cli.options import Options
from nbmf.cli.reading import data_name
from nbmf.errors import DataError
from nbmf.output.folder import OutputFolder, folder_at


def results_folder(
    options: Options, suffix: str, names: Collection[str], *, source: Path | None = None
) -> OutputFolder:
    """Return the folder that was typed, or one next to FILE, or another source.

    With a workbook in its place, --out a.xlsx, it is next to that. Where nothing can be written next to FILE it is
    in the current folder; the end of the command says where.
    """
    if options.out is not None:
        return folder_at(options.out, suffix, names, force=options.force)
    stem = data_name(options) if source is None else source.stem
    parent = (Path(options.file) if source is None else source).expanduser().parent
    parent = parent if os.access(parent, os.W_OK) else Path()
    return OutputFolder(parent / f"{stem}{suffix}", names, force=options.force)


def refuse_foreign(path: Path, force: bool, is_ours: Callable[[BinaryIO], bool]) -> None:
    """Raise DataError if there is a folder, or a file that is not ours by what it has, where a file will be written."""
    if path.is_dir():
        raise DataError(f"{path} is a folder; --out names a file")
    if not path.exists() or force:
        return
    with open(path, "rb") as file:
        if not is_ours(file):
            raise DataError(
                f"{path} exists and is another file; choose another name with --out, or overwrite it with --force"
            )
