"""Parquet files, read with pyarrow."""

import os

from nbmf.errors import DataError
from nbmf.io.arguments import Options
from nbmf.io.coding import ValueCoding
from nbmf.io.content import Content, refuse_huge
from nbmf.io.tables import read_table


def read_parquet(path: str | os.PathLike, options: Options, coding: ValueCoding) -> Content:
    """Read a Parquet file in any layout; see `nbmf.read`."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError(
            f"{path}: Parquet files are read with pyarrow, which is not installed; "
            "pip install pyarrow, or save the file as CSV"
        ) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            refuse_huge(path, file.metadata.num_rows, file.metadata.num_columns)
            table = file.read().to_pandas()
    except DataError:
        raise
    except Exception as error:  # damaged bytes make pyarrow raise nearly anything
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: not a complete Parquet file ({reason})") from error
    return read_table(path, "Parquet", table, options, coding)
