"""Names of genes and cells in files next to a Matrix Market file."""

import gzip

import numpy as np
import pytest

import nbmf
from nbmf.errors import DataError

COUNTS = np.array([[3, 0, 1], [0, 2, 0], [1, 0, 4], [0, 5, 1]])
GENES = ["ENSG1\tCD3E\tGene Expression", "ENSG2\tMS4A1\tGene Expression", "ENSG3\tCD3E\tGene Expression", "ENSG4\t\tx"]
CELLS = ["AAAC-1", "AAAG-1", "AAAT-1"]
NAMED = ["CD3E (ENSG1)", "MS4A1", "CD3E (ENSG3)", "ENSG4"]  # symbols; two genes have the same, one has none


def write(path, lines):
    text = "\n".join([*lines, ""])
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)


def write_matrix(path, values=COUNTS):
    rows, columns = np.nonzero(values)
    entries = [f"{f + 1} {n + 1} {values[f, n]}" for f, n in zip(rows, columns, strict=True)]
    size = f"{values.shape[0]} {values.shape[1]} {len(entries)}"
    write(path, ["%%MatrixMarket matrix coordinate integer general", size, *entries])


def read(path, **options):
    lines = []
    return nbmf.read(path, log=lines.append, **options), lines[0]


@pytest.mark.parametrize(("prefix", "features", "packed"), [("", "features", ".gz"), ("GSM1_", "genes", "")])
def test_genes_and_cells_have_their_names(prefix, features, packed, tmp_path):
    path = tmp_path / f"{prefix}matrix.mtx{packed}"
    write_matrix(path)
    write(tmp_path / f"{prefix}{features}.tsv{packed}", GENES)
    write(tmp_path / f"{prefix}barcodes.tsv{packed}", CELLS)
    matrix, said = read(path, counts=True, transpose=True)
    assert f"names of rows from {prefix}{features}.tsv{packed} and of columns from {prefix}barcodes.tsv{packed}" in said
    assert matrix.row_names.tolist() == CELLS
    assert matrix.column_names.tolist() == NAMED
    np.testing.assert_array_equal(matrix.tallies, COUNTS.T)


def test_names_of_one_side_are_enough(tmp_path):
    write_matrix(tmp_path / "matrix.mtx", np.minimum(COUNTS, 1))
    write(tmp_path / "barcodes.tsv", CELLS)
    matrix, said = read(tmp_path / "matrix.mtx")
    assert said.endswith("names of columns from barcodes.tsv")
    assert (matrix.row_names[0], matrix.column_names[0]) == ("row 0", "AAAC-1")


def test_peaks_of_accessibility_have_their_names(tmp_path):
    write_matrix(tmp_path / "matrix.mtx", np.minimum(COUNTS, 1))
    peaks = [f"chr1\t{start}\t{start + 500}" for start in (100, 900, 2000, 3000)]
    write(tmp_path / "peaks.bed", ["# id=1", *peaks])
    write(tmp_path / "barcodes.tsv", CELLS)
    matrix, said = read(tmp_path / "matrix.mtx")
    assert "names of rows from peaks.bed and of columns from barcodes.tsv" in said
    assert matrix.row_names.tolist() == ["chr1:100-600", "chr1:900-1400", "chr1:2000-2500", "chr1:3000-3500"]


def test_of_a_folder_with_one_matrix_the_file_is_named(tmp_path):
    folder = tmp_path / "filtered_peak_bc_matrix"
    folder.mkdir()
    with pytest.raises(DataError, match=r"is a folder$"):
        read(folder)
    write(folder / "barcodes.tsv", CELLS)
    write_matrix(folder / "matrix.mtx.gz")
    with pytest.raises(DataError, match=r"is a folder; give the file in it: .*matrix\.mtx\.gz$"):
        read(folder)


def test_a_matrix_of_another_name_has_none(tmp_path):
    write_matrix(tmp_path / "counts.mtx")
    write(tmp_path / "barcodes.tsv", CELLS)
    matrix, said = read(tmp_path / "counts.mtx", counts=True)
    assert said.endswith("it has no names")
    assert matrix.column_names[0] == "column 0"


def test_all_entries_in_a_file_have_names_too(tmp_path):
    write(tmp_path / "matrix.mtx", ["%%MatrixMarket matrix array integer general", "4 3", *map(str, COUNTS.T.ravel())])
    write(tmp_path / "features.tsv", GENES)
    assert read(tmp_path / "matrix.mtx", counts=True)[0].row_names.tolist() == NAMED


def test_documents_and_words_have_names(tmp_path):
    write_matrix(tmp_path / "matrix.mtx")
    write(tmp_path / "features.tsv", GENES)
    write(tmp_path / "barcodes.tsv", CELLS)
    table = nbmf.read_documents(tmp_path / "matrix.mtx", transpose=True, log=lambda line: None)
    assert table.row_names.tolist() == CELLS
    assert list(table.column_names) == NAMED


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (CELLS[:2], r"barcodes.tsv: 2 names for 3 columns of matrix.mtx"),
        (["a", "b", "a"], r"barcodes.tsv, line 3: the column 'a' is there already, in line 1"),
    ],
)
def test_names_that_cannot_be_those_are_refused(lines, message, tmp_path):
    write_matrix(tmp_path / "matrix.mtx")
    write(tmp_path / "barcodes.tsv", lines)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "matrix.mtx", counts=True)
