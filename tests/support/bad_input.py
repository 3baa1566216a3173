"""Malformed input of every kind, and what the user sees: one clear message, never a traceback.

    python tests/support/bad_input.py        writes tests/support/bad_input.md

A case is a function that is given an empty folder, makes a bad file or configuration in it, and
feeds it to the code a user would. tests/library/io/test_bad_input.py runs the same cases.
"""

import contextlib
import gzip
import io
import re
import shlex
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml
from checkout import ROOT, shipped_configuration

import nbmf
from nbmf import cli
from nbmf.data.masks import draw_mask, load_mask, save_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import NbmfError
from nbmf.io.rda import read_data_frame
from nbmf_studies.pipeline import configuration
from nbmf_studies.pipeline.download import fetch
from nbmf_studies.pipeline.raw_files import source_location
from nbmf_studies.recipes.building import build

PAGE = ROOT / "tests/support/bad_input.md"
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


class Case(NamedTuple):
    """What is bad, in which kind of input, and the function that feeds it."""

    kind: str
    what: str
    feed: Callable[[Path], object]


CASES: list[Case] = []


def case(kind: str, what: str):
    """Register a function as a case."""

    def register(feed):
        CASES.append(Case(kind, what, feed))
        return feed

    return register


def message_of(case: Case) -> str:
    """Return what the user sees; any exception but the package's own is an error of ours."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            case.feed(Path(folder))
        except NbmfError as error:
            return str(error).replace(f"{folder}/", "")
    raise AssertionError(f"{case.kind}, {case.what}: was accepted")


# --- Configuration ---------------------------------------------------------------------------


def check_configuration(place: str, value) -> None:
    """Check the paper's configuration with another value at a dotted place."""
    config = shipped_configuration()
    *path, last = place.split("/")
    entry = config
    for key in path:
        entry = entry[int(key)] if isinstance(entry, list) else entry[key]
    entry[int(last) if isinstance(entry, list) else last] = value
    configuration.check(config, SCHEMA)


STUDY = "studies/lumbreras2020"
SECRET = "../" * 4 + "etc/passwd"
COMMIT = "0123456789" * 4
for what, place, value in [
    ("a misspelt key", f"{STUDY}/datasest", ["animals"]),
    ("a method that does not exist", f"{STUDY}/methods", ["bika"]),
    ("a study that does not exist", "run/studies", ["lumbreras2022"]),
    ("a dataset that does not exist", f"{STUDY}/datasets", ["animal"]),
    ("a number as text", f"{STUDY}/masks", "ten"),
    ("no masks", f"{STUDY}/masks", 0),
    ("a yes for a number", f"{STUDY}/masks", True),
    ("a test probability of 1", "run/test_probability", 1),
    ("a test probability that is not a number", "run/test_probability", float("nan")),
    ("an infinite test probability", "run/test_probability", float("inf")),
    ("a seed twice", f"{STUDY}/seeds", [0, 0]),
    ("a K of a figure that is not fitted", f"{STUDY}/options/figure_7/K", {"bica": 11}),
    ("several K of a sampler's chains", f"{STUDY}/unmasked/animals/beta-dir-gs/K", [50, 100]),
    ("a negative seed", f"{STUDY}/seeds", [-1]),
    ("an empty list of datasets", f"{STUDY}/datasets", []),
    ("K = 0", "methods/bica/K", [0]),
    ("K = 2.5", "methods/bica/K", [2.5]),
    ("a negative concentration", "methods/bica/settings", {"alpha": -1}),
    ("a concentration that is not a number", "methods/bica/settings", {"alpha": float("nan")}),
    ("a formula that is not 1/K", "methods/beta-dir-gs/settings", {"gamma": "2/K"}),
    ("code for a number", "methods/bica/settings", {"alpha": "__import__('os').getcwd()"}),
    ("a setting of another method", "methods/bica/settings", {"burn_in": 5}),
    ("a class that does not exist", "methods/bica/class", "os.system"),
    ("a dataset named to leave its folder", "datasets/..\\..\\etc", {"recipe": "paleo"}),
    ("a dataset name with a blank", "datasets/my votes", {"recipe": "paleo"}),
    ("a dataset name with a comma", "datasets/a,b", {"recipe": "paleo"}),
    ("a dataset name beyond ASCII", "datasets/Größe", {"recipe": "paleo"}),
    ("a dataset name with a line break", "datasets/a\n", {"recipe": "paleo"}),
    ("a results folder outside the checkout", "results", "../elsewhere"),
    ("an absolute results folder", "results", "/tmp/results"),
    ("a raw file outside data/raw", "sources/animals_matrix/path", f"a/b/{COMMIT}/{SECRET}"),
    ("an absolute raw file", "sources/animals_matrix/path", "/etc/passwd"),
    ("a checksum that is none", "sources/animals_matrix/sha256", "0" * 63),
    ("a recipe that does not exist", "datasets/animals/recipe", "os"),
    ("ten thousand characters for a number", f"{STUDY}/masks", "x" * 10_000),
    ("a whole section missing", "run", None),
]:

    def feed(folder, place=place, value=value):
        check_configuration(place, value)

    case("configuration", what)(feed)


@case("configuration", "a YAML file that unfolds to a billion values")
def _(folder):
    levels = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for this, last in zip("bcdefghi", "abcdefgh", strict=True):
        levels.append(f"{this}: &{this} [{', '.join(10 * [f'*{last}'])}]")
    configuration.check(yaml.safe_load("\n".join(levels)), SCHEMA)


FILE = "datasets/mine"
for what, entry in [
    ("a dataset without a recipe and without a file", {}),
    ("a file that is not there", {"file": "data/votes.csv"}),
    ("a folder for a file", {"file": "/"}),
    ("a device for a file", {"file": "/dev/zero"}),
    ("a placeholder in a file's path", {"file": "data/{dataset}.csv"}),
    ("a line break in a file's path", {"file": "votes.csv\n"}),
    ("http for https", {"file": "http://example.org/votes.csv"}),
    ("an address that leaves the folder of raw files", {"file": "https://example.org/../x.csv"}),
    ("a host that leaves the folder of raw files", {"file": "https://../x.csv"}),
    ("an address with a password", {"file": "https://me:word@example.org/x.csv"}),
    ("a checksum for an address that is none", {"file": "https://a.org/x", "sha256": "0" * 63}),
    ("a recipe and a file", {"recipe": "paleo", "file": "/etc/hostname"}),
    ("a misspelt argument of the reader", {"file": "https://a.org/x", "read": {"onse": ["yes"]}}),
    ("a word for a switch of the reader", {"file": "https://a.org/x", "read": {"header": "yes"}}),
    (
        "groups of a file that is transposed",
        {"file": "https://a.org/x", "read": {"groups": "party"}, "transpose": True},
    ),
]:

    def feed(folder, entry=entry):
        check_configuration(FILE, entry)

    case("configuration", what)(feed)


# --- Raw files of recipes --------------------------------------------------------------------


def write(path: Path, content: str | bytes) -> Path:
    """Write a file, text as UTF-8; return its path."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


for what, content in [
    ("an empty CSV", ""),
    ("a CSV of line breaks", "\r\n\r\n"),
    ("a CSV without the column of users", "id,abba\n1,0\n"),
    ("a ragged row", "user,abba,acdc\n1,0,1\n2,0\n"),
    ("a 2 among zeros and ones", "user,abba\n1,2\n"),
    ("a -1 among zeros and ones", "user,abba\n1,-1\n"),
    ("a half", "user,abba\n1,0.5\n"),
    ("NaN", "user,abba\n1,nan\n"),
    ("an infinity", "user,abba\n1,inf\n"),
    ("a word", "user,abba\n1,yes\n"),
    ("an empty field", "user,abba\n1,\n"),
    ("a quote that does not end", 'user,abba\n1,"0\n'),
    ("a NUL byte", b"user,abba\n1,\x00\n"),
    ("UTF-16", "user,abba\n1,0\n".encode("utf-16")),
    ("Latin-1", "user,Björk\n1,0\n".encode("latin-1")),
    ("a field of a million characters", "user,abba\n1," + "0" * 1_000_000 + "\n"),
    ("an artist twice", "user,abba,abba\n1,0,1\n"),
    ("a user twice", "user,abba\n1,1\n1,1\n"),
    ("a byte order mark and a 2", b"\xef\xbb\xbfuser,abba\r\n1,2\r\n"),
    ("a header and nothing else", "user,abba\n"),
    ("gzip for text", gzip.compress(b"user,abba\n1,0\n", mtime=0)),
]:

    def feed(folder, content=content):
        build("lastfm", {"listens": write(folder / "listens.csv", content)}, {})

    case("CSV", what)(feed)


def read_rda(folder: Path, content: bytes) -> None:
    """Read a file as an R data frame with a column of votes."""
    read_data_frame(write(folder / "votes.rda", content), ["vote"])


class _Zeros(io.RawIOBase):
    """A stream of zeros that is never in memory as a whole."""

    def __init__(self, size):
        self._left = size

    def readable(self):
        return True

    def readinto(self, buffer):
        size = min(len(buffer), self._left)
        buffer[:size] = bytes(size)
        self._left -= size
        return size


@case("R data", "text")
def _(folder):
    read_rda(folder, b"vote\nyes\n")


@case("R data", "an empty file")
def _(folder):
    read_rda(folder, b"")


@case("R data", "half of a file")
def _(folder):
    import rdata

    rdata.write_rda(folder / "whole.rda", {"votes": pd.DataFrame({"vote": [1.0, 0.0]})})
    content = (folder / "whole.rda").read_bytes()
    read_rda(folder, content[: len(content) // 2])


@case("R data", "another object")
def _(folder):
    import rdata

    rdata.write_rda(folder / "whole.rda", {"x": [1.0, 2.0]})
    read_rda(folder, (folder / "whole.rda").read_bytes())


@case("R data", "a bomb: 1 MB that unpacks to more than 1 GiB")
def _(folder):
    with gzip.open(folder / "votes.rda", "wb", compresslevel=1) as file:
        for _ in range(1025):
            file.write(bytes(2**20))
    read_data_frame(folder / "votes.rda", ["vote"])


@case("R data", "gzip in gzip")
def _(folder):
    read_rda(folder, gzip.compress(gzip.compress(b"RDX2\nX\n")))


@case("R data", "a vector declared to have two billion numbers")
def _(folder):
    header = b"RDX2\nX\n" + bytes([0, 0, 0, 2, 0, 4, 0, 0, 0, 2, 3, 0])
    read_rda(folder, header + bytes([0, 0, 0, 14]) + (2**31 - 1).to_bytes(4, "big"))


# --- Files of users --------------------------------------------------------------------------


def read_file(folder: Path, name: str, content: str | bytes, **options) -> None:
    """Read a file as a user would."""
    nbmf.read(write(folder / name, content), log=[].append, **options)


LONG = {"layout": "long"}
MARKET = "%%MatrixMarket matrix coordinate real general\n"
for what, name, content, options in [
    ("an empty file", "votes.csv", "", {}),
    ("a header and nothing else", "votes.csv", "who,b1,b2\n", {}),
    ("a ragged row", "votes.csv", "who,b1,b2\nann,1,0\nbob,1\n", {}),
    ("a 2", "votes.csv", "who,b1\nann,1\nbob,2\n", {}),
    ("a half, after a byte order mark", "votes.csv", b"\xef\xbb\xbfwho,b1\r\nann,0.5\r\n", {}),
    ("an infinity", "votes.csv", "who,b1\nann,inf\n", {}),
    ("a word", "votes.csv", "who,b1\nann,1\nbob,maybe\n", {}),
    (
        "a word that is none of the codes given",
        "votes.csv",
        "who,b1\nann,aye\nbob,maybe\n",
        {"ones": ["aye"], "zeros": ["nay"]},
    ),
    ("a code for two things", "votes.csv", "who,b1\nann,aye\n", {"ones": ["a"], "zeros": ["a"]}),
    ("a row twice", "votes.csv", "who,b1\nann,1\nann,1\n", {}),
    ("a column twice", "votes.csv", "who,b1,b1\nann,1,1\n", {}),
    ("a row without a name", "votes.csv", "who,b1\nann,1\n,1\n", {}),
    ("nothing observed", "votes.csv", "who,b1\nann,NA\nbob,\n", {}),
    ("a quote that does not end", "votes.csv", 'who,b1\nann,"1\n', {}),
    ("Latin-1 that is said to be UTF-8", "votes.csv", "who,b1\nBjörk,1\n".encode("latin-1"), {"encoding": "utf-8"}),
    ("an encoding that nobody knows", "votes.csv", "who,b1\nann,1\n", {"encoding": "latin-99"}),
    ("ratings from 1 to 5", "votes.csv", "who,b1,b2,b3\nann,1,5,4\nbob,2,3,4\n", {}),
    ("1 and 2 for yes and no", "votes.csv", "who,b1\nann,1\nbob,2\n", {}),
    ("half of a list of records", "votes.json", '[{"who": "ann", "b1": 1},', {}),
    ("lists in JSON", "votes.json", "[[1, 0], [0, 1]]", {}),
    ("half of an SPSS file", "votes.sav", b"$FL2@(#) SPSS DATA FILE", {}),
    ("half of a Stata file", "votes.dta", b"<stata_dta><header><release>118", {}),
    ("half of a workbook", "votes.xlsx", b"PK\x03\x04", {}),
    ("groups in a column that is not there", "votes.csv", "who,b1\nann,1\n", {"groups": "party"}),
    ("a spreadsheet that is not read", "votes.ods", b"PK\x03\x04", {}),
    ("an old workbook, or one with a password", "votes.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", {}),
    ("text with the name of an NPZ file", "votes.npz", "who,b1\nann,1\n", {}),
    ("half of a gzip file", "votes.csv.gz", gzip.compress(b"who,b1\nann,1\n", mtime=0)[:-9], {}),
    ("two records that contradict", "votes.csv", "who,what,vote\nann,b1,1\nann,b1,0\n", LONG),
    ("a record without a name", "votes.csv", "who,what,vote\nann,,1\n", LONG),
    ("a group that changes", "votes.csv", "who,what,v,p\na,x,1,red\na,y,1,blue\n", LONG | {"groups": "p"}),
    ("a list without values", "votes.csv", "who,what\nann,b1\n", LONG),
    ("an argument for another layout", "votes.csv", "who,what\nann,b1\n", {"value": "vote"}),
    ("a header that declares 10^14 entries", "v.mtx", MARKET + "10000000 10000000 1\n1 1 1\n", {}),
    ("a header that declares 10^11 values", "v.mtx", MARKET + "9 9 99999999999\n1 1 1\n", {}),
    ("a row beyond the last", "v.mtx", MARKET + "2 2 1\n3 1 1\n", {}),
    ("an entry twice, with two values", "v.mtx", MARKET + "2 2 2\n1 1 1\n1 1 0\n", {}),
    ("complex numbers", "v.mtx", MARKET.replace("real", "complex") + "1 1 1\n1 1 1 1\n", {}),
    ("a damaged Parquet file", "v.parquet", b"PAR1 and no more PAR1", {}),
    ("an RDS file that is text", "v.rds", "who,b1\nann,1\n", {}),
]:

    def feed(folder, name=name, content=content, options=options):
        read_file(folder, name, content, **options)

    case("file of your own", what)(feed)


@case("file of your own", "a file that is not there")
def _(folder):
    nbmf.read(folder / "votes.csv")


@case("file of your own", "a bomb: 5 MB that unpack to more than 1 GiB")
def _(folder):
    with gzip.open(folder / "votes.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(1025):
            file.write(b"1,0\n" * 2**18)
    nbmf.read(folder / "votes.csv.gz")


@case("file of your own", "a bomb of one line")
def _(folder):
    with gzip.open(folder / "votes.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(65):
            file.write(bytes(2**20))
    nbmf.read(folder / "votes.csv.gz")


@case("file of your own", "objects in an NPZ file, which would need a pickle")
def _(folder):
    np.savez(folder / "v.npz", x=np.array([[{}]], dtype=object))
    nbmf.read(folder / "v.npz")


@case("file of your own", "several arrays in an NPZ file")
def _(folder):
    np.savez(folder / "v.npz", x=np.eye(2), y=np.eye(2))
    nbmf.read(folder / "v.npz")


@case("file of your own", "an NPY file declared to have 10^12 entries")
def _(folder):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|i1", "fortran_order": False, "shape": (10**6, 10**6)})
    nbmf.read(write(folder / "v.npy", header.getvalue()))


@case("file of your own", "a sparse matrix with a column beyond the last")
def _(folder):
    import scipy.sparse

    stored = scipy.sparse.csr_array(np.eye(3))
    stored.indices[0] = 10**6
    scipy.sparse.save_npz(folder / "v.npz", stored)
    nbmf.read(folder / "v.npz")


@case("file of your own", "several objects in an R file")
def _(folder):
    import rdata

    rdata.write_rda(folder / "v.rda", {"votes": pd.DataFrame({"b": [1.0]}), "years": [1.0]})
    nbmf.read(folder / "v.rda")


# --- Files on the command line -----------------------------------------------------------------


def command(folder: Path, command: str, file: str | None, options: str) -> None:
    """Run a command on a file of that text, none if None."""
    path = folder / "t.csv"
    if file is not None:
        write(path, file)
    told = io.StringIO()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
        try:
            ended = cli.main([command, str(path), "--out", str(folder), *shlex.split(options)])
        except SystemExit as end:  # of the arguments
            ended = end.code
    if ended:
        raise NbmfError(re.split(r"nbmf(?: \w+)?: error: ", told.getvalue())[-1])


def lines(header: str, line: Callable[[int], str], count: int = 60) -> str:
    return "\n".join([header, *map(line, range(count))]) + "\n"


VOTES = lines("who,b1,b2", lambda n: f"n{n},{n % 2},{n % 3 % 2}", 12)
for what, name, options in [
    ("a layout that is none", "fit", "--layout wide"),
    ("columns of a list that is a matrix", "fit", "--row who"),
    ("a value of a list of ones", "fit", "--layout presence --value vote"),
    ("names of rows in a list", "fit", "--layout long --index"),
    ("groups without names of columns", "fit", "--no-header --groups b1"),
    ("a text for two things", "fit", "--ones y --zeros y"),
    ("ones among counts", "fit", "--ones y --counts"),
    ("counts that are and are none", "fit", "--counts --above 0"),
    ("a negative threshold", "fit", "--above -1"),
    ("an object of a text", "fit", "--name votes"),
    ("groups in a column that is not there", "fit", "--groups b3"),
    ("no components", "fit", "--components 0"),
    ("no chains", "fit", "--chains 0"),
    ("no iterations", "fit", "--iterations 0"),
    ("fewer draws than none", "fit", "--draws -1"),
    ("a negative seed", "fit", "--seed -1"),
    ("a method that does not exist", "fit", "--method bicca"),
    ("a setting that does not exist", "fit", "--set alfa=1"),
    ("a negative concentration", "fit", "--no-check --set alpha=-1"),
    ("two concentrations that do not go together", "fit", "--no-check --set alpha=learn-columns --set beta=1"),
    ("more memory than allowed", "fit", "--no-check --method beta-dir-vb --set max_memory_gb=1e-9"),
    ("more draws than sweeps", "fit", "--no-check --method beta-dir-gs --chains 1 --iterations 5 --draws 9"),
    ("one component where a zero takes two", "fit", "--no-check --method dir-dir-vb --components 1"),
    ("more components than columns", "fit", "--no-check --method logpca --components 9"),
    ("no masks", "compare", "--masks 0"),
    ("no fits at a time", "compare", "--jobs 0"),
    ("no components of any method", "compare", "--components 0"),
    ("a setting that no method has", "compare", "--methods bica --set alfa=1"),
    ("a negative concentration of all methods", "compare", "--methods bica --set alpha=-1"),
]:

    def feed(folder, name=name, options=options):
        command(folder, name, VOTES, options)

    case("matrix for nbmf fit and compare", what)(feed)


PEOPLE = lines("name,height,job", lambda n: f"n{n},{n % 7 + 0.5},{'ab'[n % 2]}", 12)
PAGES = "sea,ice\n1,0\n2,1\n0,3\n"
for what, file, options in [
    ("a file that is not there", None, ""),
    ("an empty file", "", ""),
    ("a header and nothing else", "height,job\n", ""),
    ("a row with a field too few", "height,job\n1.5,a\n2.5\n", ""),
    ("one column", "height\n1.5\n2.5\n3.5\n", ""),
    ("one column, which has names", "name\nann\nbob\ncay\n", ""),
    ("columns that are constant", "height,job\n1.5,a\n1.5,a\n", ""),
    ("nothing observed", "height,job\nNA,\n,?\n", ""),
    ("three rows", "height,job\n1.5,a\n2.5,b\n2,a\n", ""),
    ("dates", lines("height,day", lambda n: f"{n / 7},2020-01-{n % 28 + 1:02}"), ""),
    ("hundreds of categories", lines("height,town", lambda n: f"{n / 7},town {n}", 300), ""),
    ("a text among numbers", lines("height,job", lambda n: f"{'tall' if n == 5 else n / 7},{'ab'[n % 2]}"), ""),
    ("a kind that is none", PEOPLE, "--kind height=reel"),
    ("a kind without a column", PEOPLE, "--kind real"),
    ("the kind of a column that is not there", PEOPLE, "--kind hight=real"),
    ("the kind of the labels", PEOPLE, "--labels job --kind job=category"),
    ("a text in a real column", PEOPLE, "--kind job=real"),
    ("a half in a column of counts", PEOPLE, "--kind height=count"),
    ("labels in a column that is not there", PEOPLE, "--labels species"),
    ("labels in a column to ignore", PEOPLE, "--labels job --ignore job"),
    ("a column to ignore that is not there", PEOPLE, "--ignore hight"),
    ("no components", PEOPLE, "--components 0"),
    ("more components than rows", PEOPLE, "--components 40"),
    ("more components than rows, unchecked", PEOPLE, "--components 40 --model mnb --no-check"),
    ("no check, and nothing chosen", PEOPLE, "--no-check"),
    ("no start", PEOPLE, "--starts 0"),
]:

    def feed(folder, file=file, options=options):
        command(folder, "cluster", file, options)

    case("table for nbmf cluster", what)(feed)


for what, file, options in [
    ("a file that is not there", None, ""),
    ("a header and nothing else", "sea,ice\n", ""),
    ("a negative count", "sea,ice\n1,0\n2,-1\n", ""),
    ("half a count", "sea,ice\n1,0\n2,0.5\n", ""),
    ("zeros alone", "sea,ice\n0,0\n0,0\n", ""),
    ("one word", "sea\n1\n2\n3\n", ""),
    ("four tokens", "sea,ice\n1,0\n2,1\n", ""),
    ("texts where counts are needed", "id,text\n1,the sea\n2,the ice\n", ""),
    ("texts without words", 'text\n"1 2"\n"a b"\n', "--text text"),
    ("texts in a column that is not there", "text\nthe sea\nthe ice\n", "--text txt"),
    ("stop words that are not there", "text\nsea\nice\n", "--text text --stop-words no.txt"),
    ("labels in a column that is not there", PAGES, "--labels party"),
    ("all words to ignore", PAGES, "--ignore sea --ignore ice"),
    ("more topics than documents, unchecked", PAGES, "--components 40 --no-check"),
    ("a role without the others", PAGES, "--word sea"),
    ("a list of two columns", "document,word\na,sea\n", "--layout long"),
    ("a list of texts", "document,word,n\na,sea,1\n", "--layout long --text word"),
    ("words for a table", PAGES, "--words words.txt"),
]:

    def feed(folder, file=file, options=options):
        command(folder, "topics", file, options)

    case("documents for nbmf topics", what)(feed)


# --- Files of the workflow -------------------------------------------------------------------

MATRIX = BinaryMatrix.from_array(np.eye(6, dtype=np.int8))


def load_matrix(folder: Path, **arrays) -> None:
    """Save arrays as a matrix file and load it."""
    np.savez(folder / "matrix.npz", **arrays)
    BinaryMatrix.load(folder / "matrix.npz")


NAMES = {"row_names": ["a", "b"], "column_names": ["c", "d"]}


@case("matrix file", "an array too few")
def _(folder):
    load_matrix(folder, codes=np.eye(2))


@case("matrix file", "a pickle")
def _(folder):
    load_matrix(folder, codes=np.array([{}, {}], dtype=object), **NAMES)


@case("matrix file", "other values")
def _(folder):
    load_matrix(folder, codes=2 * np.eye(2), **NAMES)


@case("matrix file", "cut off")
def _(folder):
    MATRIX.save(folder / "matrix.npz")
    content = (folder / "matrix.npz").read_bytes()
    BinaryMatrix.load(write(folder / "matrix.npz", content[:-40]))


@case("matrix file", "an array declared to have 10^15 entries")
def _(folder):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|i1", "fortran_order": False, "shape": (10**8, 10**7)})
    with zipfile.ZipFile(folder / "matrix.npz", "w") as archive:
        archive.writestr("codes.npy", header.getvalue())
    BinaryMatrix.load(folder / "matrix.npz")


@case("matrix file", "a bomb of two arrays that declare 4 GiB each")
def _(folder):
    path, size = folder / "matrix.npz", 2**20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ("codes.npy", "row_names.npy"):
            archive.writestr(name, bytes(size))
    declared = (2**32 - 2).to_bytes(4, "little")
    BinaryMatrix.load(write(path, path.read_bytes().replace(size.to_bytes(4, "little"), declared)))


@case("mask file", "the mask of another matrix")
def _(folder):
    save_mask(folder / "mask.npz", np.ones((3, 3), bool))
    load_mask(folder / "mask.npz", MATRIX)


@case("mask file", "a matrix in its place")
def _(folder):
    MATRIX.save(folder / "mask.npz")
    load_mask(folder / "mask.npz", MATRIX)


@case("mask file", "nothing to hold out")
def _(folder):
    draw_mask(MATRIX, 1e-9, np.random.SeedSequence(1))


# --- Downloads -------------------------------------------------------------------------------


@case("download", "a damaged copy in a mirror, and no network")
def _(folder):
    address = "https://127.0.0.1:9/c.csv"
    source = source_location({"address": address, "path": "a/c.csv", "sha256": "0" * 64, "bytes": 3})
    (folder / "mirror/a").mkdir(parents=True)
    write(folder / "mirror/a/c.csv", "abc")
    fetch(source, folder / "c.csv", [folder / "mirror"], timeout=1, log=[].append)


@case("download", "an address whose file has another checksum")
def _(folder):
    source = source_location({"address": "https://127.0.0.1:9/votes.csv", "sha256": "0" * 64})
    (folder / "127.0.0.1_9").mkdir()
    write(folder / "127.0.0.1_9/votes.csv", "abc")  # as a mirror has it
    fetch(source, folder / "votes.csv", [folder], timeout=1, log=[].append)


@case("download", "an archive in which the file is larger than declared")
def _(folder):
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("votes.csv", bytes(10**7))
    member = {"name": "votes.csv", "bytes": 1000, "sha256": "0" * 64}
    source = source_location({"address": "https://127.0.0.1:9/a.zip", "path": "a.zip", "member": member})
    fetch(source, folder / "votes.csv", [folder], timeout=1, log=[].append)


# --- Arrays given to an estimator ------------------------------------------------------------

for what, V in [
    ("a 2", [[0, 1], [2, 0]]),
    ("a half", [[0.5, 1.0]]),
    ("an infinity", [[np.inf, 1.0]]),
    ("words", [["yes", "no"]]),
    ("one dimension", [0, 1, 1]),
    ("no rows", np.zeros((0, 3))),
    ("nothing observed", [[np.nan, np.nan]]),
    ("complex numbers", [[1j, 0]]),
    ("rows of different lengths", [[0, 1], [1]]),
]:

    def feed(folder, V=V):
        nbmf.BetaDirVB(2, max_iter=1).fit(V)

    case("array", what)(feed)


for what, parameters in [
    ("no components", {"n_components": 0}),
    ("half a component", {"n_components": 1.5}),
    ("a concentration of 0", {"alpha": 0.0}),
    ("three concentrations for two components", {"gamma": [1.0, 1.0, 1.0]}),
    ("a mean per column for alpha alone", {"alpha": "learn-columns"}),
    ("a beta per component with a learned alpha", {"alpha": "learn", "beta": [1.0, 2.0]}),
    ("a gamma that CVB0 cannot learn", {"gamma": "learn"}),
    ("an orientation that is none", {"orientation": "transposed"}),
    ("a negative seed", {"random_state": -1}),
    ("more memory than allowed", {"n_components": 10, "max_memory_gb": 1e-9}),
]:

    def feed(folder, parameters=parameters):
        nbmf.BetaDirVB(**{"n_components": 2, "max_iter": 1} | parameters).fit([[0, 1], [1, 0]])

    case("parameter", what)(feed)


@case("parameter", "an eta that CVB0 of Dir-Dir cannot learn")
def _(folder):
    nbmf.DirDirVB(2, eta="learn-asymmetric", max_iter=1).fit([[0, 1], [1, 0]])


# --- The page --------------------------------------------------------------------------------

INTRODUCTION = """# Bad input

What the user sees when something is wrong with a configuration, a file or an argument. Every
message below is the real one: `python tests/support/bad_input.py` wrote this page, and
`tests/library/io/test_bad_input.py` compares it with what the code says. In the workflow a wrong
configuration stops everything before the first job; a wrong file fails the job that reads it, its
message is on screen and in its log, and what does not depend on it goes on.

Files are only read as data: arrays without pickles, YAML without tags, no `eval`. (Snakemake itself
runs the Python in a configuration file that says `__use_yte__: true`: use configurations of people
you would take a Snakefile from.)
"""


def page() -> str:
    """Return the text of tests/support/bad_input.md."""
    lines = [INTRODUCTION, f"{len(CASES)} cases.", ""]
    for kind in dict.fromkeys(c.kind for c in CASES):
        lines += [f"## {kind[0].upper()}{kind[1:]}", "", "| what is wrong | what the user sees |", "|---|---|"]
        for c in CASES:
            if c.kind == kind:
                lines.append(f"| {c.what} | {cell(message_of(c))} |")
        lines.append("")
    return "\n".join(lines)


def cell(message: str) -> str:
    return re.sub(r"\s*\n\s*", "<br>", message.strip()).replace("|", "\\|").replace("*", "\\*")


if __name__ == "__main__":
    sys.exit(PAGE.write_text(page(), encoding="utf-8") and None)
