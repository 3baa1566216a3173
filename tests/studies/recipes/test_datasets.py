"""Dataset recipes: the paper's matrices from their sources, and complaints about damaged files."""

import functools
import gc
import hashlib
import importlib.util

import numpy as np
import pytest
import rdata
import yaml
from checkout import ROOT
from raw_data import ENTRIES, EVERY, raw_file, write_r_matrix, write_r_table

import nbmf
from nbmf.data.examples import EXAMPLES
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.fit_key import mask_stream
from nbmf.io.rda import read_data_frame, read_r_matrix
from nbmf.seeds import seed_sequence
from nbmf_studies import recipes
from nbmf_studies.recipes import unvotes, unvotes_abstentions, unvotes_coldwar, voting_records
from nbmf_studies.recipes.building import build
from nbmf_studies.recipes.check import check_counts, check_published, r_name
from nbmf_studies.votes_as_cast import ballots
from nbmf_studies.votes_as_cast.masks import hold_out_entries
from nbmf_studies.votes_as_cast.sessions import column_years

SOURCES = yaml.safe_load((ROOT / "config/sources.yaml").read_text(encoding="utf-8"))["sources"]
PAPER = yaml.safe_load((ROOT / "config/studies/lumbreras2020.yaml").read_text(encoding="utf-8"))
RUN = PAPER["studies"]["lumbreras2020"]["datasets"]
TEXT = yaml.safe_load((ROOT / "config/as_in_the_text.yaml").read_text(encoding="utf-8"))
AS_IN_THE_TEXT = TEXT["datasets"]
SYNTHETIC = "nbmf_studies.lumbreras2020.synthetic"
PUBLISHED = [name for name, entry in ENTRIES.items() if "published" in entry]
reads_votes = pytest.mark.workflow  # which takes rdata 15 s


def built_each(names):
    """Return parameters: names of datasets that are built, those of votes with their mark."""
    files = {name: entry.get("files", {}).values() for name, entry in EVERY["datasets"].items()}
    return [pytest.param(name, marks=[reads_votes] if "unvotes_votes" in files[name] else []) for name in names]


@pytest.fixture(scope="module")
def built():
    """Build a dataset of the configuration, once."""
    with pytest.MonkeyPatch.context() as patch:
        # Several datasets read the same votes.
        read_votes = functools.cache(voting_records.read_votes)
        for module in (unvotes, unvotes_abstentions, unvotes_coldwar, ballots):
            patch.setattr(module, "read_votes", read_votes)

        @functools.cache
        def build_entry(name):
            entry = EVERY["datasets"][name]
            files = {key: raw_file(source) for key, source in entry.get("files", {}).items()}
            matrix = build(entry["recipe"], files, entry.get("options", {}))
            return matrix.T if entry.get("transpose") else matrix

        yield build_entry


# The paper's matrices from their sources.


@pytest.mark.parametrize("source", SOURCES)
def test_raw_files_are_the_ones_the_recipes_were_written_for(source):
    file = raw_file(source)
    assert file.stat().st_size == SOURCES[source]["bytes"]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == SOURCES[source]["sha256"]


@pytest.mark.parametrize("name", ENTRIES)
def test_the_configuration_names_recipes_and_sources_that_exist(name):
    entry = ENTRIES[name]
    assert importlib.util.find_spec(recipes.module_of(entry["recipe"]))
    assert set(entry.get("files", {}).values()) <= SOURCES.keys()
    assert entry.get("published", "published_animals") in SOURCES


@pytest.mark.parametrize("name", built_each(ENTRIES))
def test_counts_are_the_papers(name, built):
    check_counts(built(name), ENTRIES[name].get("counts", {}), name)


@pytest.mark.parametrize("name", built_each(AS_IN_THE_TEXT))
def test_counts_in_the_texts_orientation_are_known(name, built):
    counts = ENTRIES[name]["counts"] | AS_IN_THE_TEXT[name]["counts"]
    check_counts(built(name).T, counts, name)


@reads_votes
def test_abstentions_are_zeros_of_unvotes_and_the_rest_of_its_zeros_are_noes(built):
    votes, abstentions = built("unvotes"), built("unvotes_abstentions")
    assert list(votes.row_names) == list(abstentions.row_names)
    assert list(votes.column_names) == list(abstentions.column_names)
    np.testing.assert_array_equal(votes.observed, abstentions.observed)
    assert (votes.codes[abstentions.codes == 1] == 0).all()
    assert 0 < (abstentions.codes == 1).sum() < (votes.codes == 0).sum()


@reads_votes
def test_votes_as_cast_have_the_entries_and_the_masks_of_unvotes(built):
    votes = built("unvotes")
    files = {"votes": raw_file("unvotes_votes"), "roll_calls": raw_file("unvotes_roll_calls")}
    cast = build("nbmf_studies.votes_as_cast.ballots", files, {"categories": 3, "first": 1946, "last": 2015})
    np.testing.assert_array_equal(cast.above(1).codes, votes.codes)
    assert cast.row_names.tolist() == votes.row_names.tolist()
    assert [name.split()[1] for name in cast.column_names] == [str(name) for name in votes.column_names]
    assert np.unique(column_years(cast)).tolist() == list(range(1946, 2016))  # whose order is not quite that of the ids
    seed = seed_sequence(*mask_stream("unvotes", 0))
    np.testing.assert_array_equal(hold_out_entries(cast, 0), draw_mask(votes, 0.25, seed))


@pytest.mark.parametrize("name", ENTRIES)
def test_axes_say_what_rows_and_columns_are(name):
    """Of what the paper's figures show; a drawn matrix has nothing but rows and columns."""
    rows, columns = ENTRIES[name].get("axes", ["", ""])
    assert (rows != "") == (columns != "") == (name in RUN)


@pytest.mark.parametrize("name", built_each(ENTRIES))
def test_rows_are_in_a_stable_order(name, built):
    users_are_rows = name == "lastfm"  # in the order of their file
    matrix = built(name).T if users_are_rows else built(name)
    names = list(matrix.row_names)
    if ENTRIES[name]["recipe"] == SYNTHETIC:
        assert names[:2] == ["row 0", "row 1"]
    else:
        assert names == sorted(names)


@pytest.mark.parametrize("name", built_each(PUBLISHED))
def test_every_cell_equals_the_authors(name, built):
    published = raw_file(ENTRIES[name]["published"])
    for matrix in (built(name), built(name).T):
        assert check_published(matrix, published, name) == matrix.codes.size


@pytest.mark.parametrize("name", built_each(PUBLISHED))
def test_one_other_cell_is_found(name, built):
    matrix = built(name)
    codes = matrix.codes.copy()
    f, n = np.argwhere(codes >= 0)[-1]
    codes[f, n] = 1 - codes[f, n]
    changed = BinaryMatrix(codes, matrix.row_names, matrix.column_names)
    with pytest.raises(DataError, match=f"dataset '{name}': .* of {codes.size} cells differ"):
        check_published(changed, raw_file(ENTRIES[name]["published"]), name)


def test_parliament_has_its_parties_and_one_order(built):
    matrix = built("parliament")
    parties, members = np.unique(matrix.row_groups, return_counts=True)
    assert dict(zip(parties.tolist(), members.tolist(), strict=True)) == {
        "CEC": 8,
        "CUP": 4,
        "Ciutadans": 35,
        "ERC": 28,
        "JuntsxCat": 35,
        "PP": 4,
        "PSC": 16,
    }
    np.testing.assert_array_equal(matrix.row_names, matrix.column_names)
    assert not np.diagonal(matrix.codes).any()


@reads_votes
def test_roll_calls_are_in_order_of_their_id(built):
    ids = built("unvotes").column_names.astype(int)
    assert (np.diff(ids) > 0).all()


# Recipes without files.


@pytest.mark.parametrize("model", ["beta-dir", "dir-beta", "dir-dir"])
def test_synthetic_matrices_are_fixed_and_differ(model):
    one, same, other = (build(SYNTHETIC, {}, {"model": model, "concentration": value}).codes for value in (1, 1.0, 0.1))
    assert one.shape == (100, 100)
    np.testing.assert_array_equal(one, same)
    assert (one != other).mean() > 0.2


def test_small_concentration_separates_rows_of_beta_dir_and_columns_of_dir_beta():
    # With 0.1, E[V] is near 0 or 1 in the direction in which the prior is Beta.
    def spread(model, axis):
        codes = build(SYNTHETIC, {}, {"model": model, "concentration": 0.1}).codes
        return codes.mean(axis=axis).std()

    assert spread("beta-dir", axis=0) > spread("beta-dir", axis=1)
    assert spread("dir-beta", axis=1) > spread("dir-beta", axis=0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model": "dirdir", "concentration": 1}, "'dirdir'; allowed: beta-dir, dir-beta"),
        ({"model": "dir-dir", "concentration": 0}, "concentration is 0; allowed: a number above"),
        ({"model": "dir-dir", "concentration": float("nan")}, "concentration is nan"),
        ({"model": "dir-dir", "concentration": "1/K"}, "concentration is '1/K'"),
        ({"model": "dir-dir", "concentration": True}, "concentration is True"),
        ({"model": "dir-dir"}, "takes the files and options concentration, model; given were mod"),
        ({"model": "dir-dir", "concentration": 1, "K": 3}, "given were K, concentration, model"),
    ],
)
def test_other_options_of_synthetic_are_refused(options, words):
    with pytest.raises(ConfigError, match=words):
        build(SYNTHETIC, {}, options)


def test_an_unknown_recipe_is_refused():
    with pytest.raises(ConfigError, match="no dataset recipe 'mammals'; allowed: animals, las"):
        build("mammals", {}, {})


@pytest.mark.parametrize(
    "recipe", ["os", "nbmf.errors", "nbmf_studies.recipes.animals", "nbmf_studies.absent.x", "nbmf_studies..x"]
)
def test_only_a_study_has_recipes_besides_these(recipe):
    with pytest.raises(ConfigError, match=rf"no dataset recipe '{recipe}'; .* module of nbmf"):
        build(recipe, {}, {})


def test_a_module_without_a_recipe_is_refused():
    with pytest.raises(ConfigError, match=r"nbmf_studies\.\w+\.\w+' has no function 'build'"):
        build("nbmf_studies.lumbreras2020.claims", {}, {})


# The matrices that come with the package.


@pytest.mark.parametrize("dataset", built_each([example.dataset for example in EXAMPLES.values()]))
def test_an_example_is_the_dataset_of_today(dataset, built):
    name = next(name for name, example in EXAMPLES.items() if example.dataset == dataset)
    example, dataset = nbmf.load_example(name), built(dataset)
    for field in ("codes", "row_names", "column_names", "row_groups"):
        np.testing.assert_array_equal(getattr(example, field), getattr(dataset, field))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_licence_of_an_example_is_that_of_its_sources(name):
    stated = {
        EVERY["sources"][source]["licence"] for source in EVERY["datasets"][EXAMPLES[name].dataset]["files"].values()
    }
    ours = EXAMPLES[name].licence
    assert stated == {ours} or (
        name == "votes"
        and stated == {"MIT + file LICENSE; the votes themselves (Voeten): CC0"}
        and ours == "CC0 (the votes), MIT (the package)"
    )
    folder = ROOT / "src/nbmf/data/examples"
    assert f"| `{name}.npz` | {EXAMPLES[name].dataset} |" in (folder / "README.md").read_text()
    assert {path.stem for path in folder.glob("*.npz")} == set(EXAMPLES)


def test_an_unknown_example_is_refused():
    with pytest.raises(ConfigError, match=r"no example 'vote'; allowed: animals, .*'votes'"):
        nbmf.load_example("vote")


def test_other_files_are_refused():
    with pytest.raises(ConfigError, match="options listens; given were csv"):
        build("lastfm", {"csv": "x"}, {})


# Small files made here, whole and damaged.


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


@pytest.fixture
def animals(tmp_path):
    return {
        "matrix": write(tmp_path / "matrix.txt", "0 1 1\n1 0 0"),
        "animals": write(tmp_path / "animals.txt", "     1\twalrus\n     2\tbat\n"),
        "attributes": write(tmp_path / "attributes.txt", "1\tred\n2\tfast\n3\tbig\n"),
    }


def test_animals_from_small_files(animals):
    matrix = build("animals", animals, {})
    assert list(matrix.row_names) == ["big", "fast", "red"]
    assert list(matrix.column_names) == ["bat", "walrus"]
    np.testing.assert_array_equal(matrix.codes, [[0, 1], [0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("matrix", "0 1 1\n1 2 0", r"matrix\.txt, line 2, value 2: '2'; allowed: 0 and 1"),
        ("matrix", "0 1 1\n1 0", r"matrix\.txt, line 2: 2 values; needed are 3"),
        ("matrix", "0 1 1", r"matrix\.txt: 1 lines, but .*animals\.txt names 2 animals"),
        ("matrix", "", r"matrix\.txt: the file is empty"),
        ("matrix", b"0 1 1\n1 0 \xff", r"matrix\.txt, line 2: not UTF-8"),
        ("animals", "1\twalrus\n", r"matrix\.txt: 2 lines, but .*animals\.txt names 1 animals"),
        ("animals", "1\twalrus\nbat\n", r"animals\.txt, line 2: 'bat'; needed is a number and"),
        ("animals", "1 bat\n2 bat\n", r"matrix\.txt: column_names: 'bat' names more than one"),
        ("attributes", "1 red\n2 fast\n", r"matrix\.txt, line 1: 3 values; needed are 2"),
    ],
)
def test_damaged_animals(file, content, words, animals):
    write(animals[file], content)
    with pytest.raises(DataError, match=words):
        build("animals", animals, {})


def test_lastfm_from_a_small_file(tmp_path):
    listens = write(tmp_path / "l.csv", 'user,muse,"b, c"\n1,1,0\n33,0,0\n42,1,1\n')
    matrix = build("lastfm", {"listens": listens}, {})
    assert list(matrix.row_names) == ["b, c", "muse"]
    assert list(matrix.column_names) == ["1", "42"]
    np.testing.assert_array_equal(matrix.codes, [[0, 1], [1, 1]])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("user,muse,abba\n1,1,0\n33,0\n", r"l\.csv, line 3: 2 fields; the header has 3"),
        ("user,muse,abba\n1,1,7\n", r"l\.csv, line 2, value 2: '7'; allowed: 0 and 1"),
        ("user,muse,abba\n1,1,\n", r"l\.csv, line 2, value 2: ''"),
        ("id,muse,abba\n1,1,0\n", r"l\.csv, line 1: no column 'user'; the columns are id, muse"),
        ("user,muse,muse\n1,1,0\n", r"l\.csv: row_names: 'muse' names more than one"),
        ("user,muse\n1,1\n1,1\n", r"l\.csv: column_names: '1' names more than one"),
        ("user,muse\n", r"l\.csv: the matrix is empty"),
        ('user,muse\n1,"1\n', r"l\.csv, line 2: unexpected end of data"),
        (b"user,mot\xf6rhead\n1,1\n", r"l\.csv, line 1: not UTF-8"),
        (" \n\n", r"l\.csv: the file is empty"),
    ],
)
def test_damaged_lastfm(content, words, tmp_path):
    with pytest.raises(DataError, match=words):
        build("lastfm", {"listens": write(tmp_path / "l.csv", content)}, {})


FINDS = "NAME|LONG|ORDER|GENUS\n"


def finds(*records):
    return FINDS + "".join(f"{record}\n" for record in records)


def test_paleo_counts_rows_and_keeps_indeterminate_genera(tmp_path):
    records = ["Dorn Dürkheim|8.2|Rodentia|indet."] * 9 + ["Steinheim|0|Rodentia|indet."]
    records += ["Steinheim|10|Carnivora|cf. Ursus"] * 10
    records += ["Steinheim|10|Carnivora|Rare"] * 9  # too few rows
    records += ["Kalfa|60|Rodentia|indet."] * 2  # too far east
    records += ["Kalfa|20|Lagomorpha|Lepus"] * 10
    records += ["Once|20|Rodentia|indet."]  # a locality of one row
    path = write(tmp_path / "finds.csv", finds(*records))
    matrix = build("paleo", {"finds": path}, {})
    assert list(matrix.row_names) == ["cf. Ursus", "indet."]
    assert list(matrix.column_names) == ["Dorn Dürkheim", "Steinheim"]
    np.testing.assert_array_equal(matrix.codes, [[0, 1], [1, 1]])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (finds("A|east|Rodentia|Mus"), r"f\.csv, line 2: LONG is 'east'; allowed: -180 to 180"),
        (finds("A|nan|Rodentia|Mus"), r"f\.csv, line 2: LONG is 'nan'"),
        (finds("A|1|Rodentia|Mus", "A|1|Rodentia|"), r"f\.csv, line 3: GENUS or NAME is empty"),
        (finds("A|1|Rodentia"), r"f\.csv, line 2: 3 fields; the header has 4"),
        (finds("A|1|Rodentia|Mus"), r"f\.csv: the matrix is empty"),
        (FINDS, r"f\.csv: the matrix is empty"),
        ("NAME|LONG|GENUS\nA|1|Mus\n", r"f\.csv, line 1: no column 'ORDER'"),
        (finds("A|1|R|Mus").encode() + b"D\xfcrk|1|R|Mus\n", r"f\.csv, line 3: not UTF-8"),
        ("", r"f\.csv: the file is empty"),
    ],
)
def test_damaged_paleo(content, words, tmp_path):
    with pytest.raises(DataError, match=words):
        build("paleo", {"finds": write(tmp_path / "f.csv", content)}, {})


@pytest.fixture
def parliament(tmp_path):
    return {
        "follows": write_r_matrix(tmp_path / "f.rda", [[0, 1], [0, 0]], ["b", "a"], ["b", "a"]),
        "parties": write(tmp_path / "p.csv", "MP;party\r\na;ERC\r\nb;CUP\r\ndavidpsc;PSC\r\n"),
    }


def test_parliament_from_small_files(parliament):
    matrix = build("parliament", parliament, {})
    assert list(matrix.row_names) == list(matrix.column_names) == ["a", "b"]
    assert list(matrix.row_groups) == ["ERC", "CUP"]
    np.testing.assert_array_equal(matrix.codes, [[0, 0], [1, 0]])  # b follows a


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("MP;party\na;ERC\n", r"p\.csv: no party for b, in .*f\.rda"),
        ("MP;party\na;ERC\nb;\n", r"p\.csv, line 3: 'b' has an empty party"),
        ("MP;party\na;ERC\na;CUP\n", r"p\.csv, line 3: 'a' is there a second time"),
        ("MP,party\na,ERC\n", r"p\.csv, line 1: no column 'MP'"),
        ("MP;party\na;ERC;x\n", r"p\.csv, line 2: 3 fields; the header has 2"),
    ],
)
def test_damaged_parties(content, words, parliament):
    write(parliament["parties"], content)
    with pytest.raises(DataError, match=words):
        build("parliament", parliament, {})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[0, 1], [2, 0]], ["a", "b"], ["a", "b"]), r"f\.rda: row 1, column 0 .*2\.0"),
        (([[0, 1], [0, 0]], ["a", "b"], ["a", "c"]), r"f\.rda: rows and columns are not the same"),
        (([[0, 1], [0, 0]],), r"f\.rda: holds a ndarray of shape \(2, 2\); needed is an R matrix"),
    ],
)
def test_damaged_follows(arguments, words, parliament):
    write_r_matrix(parliament["follows"], *arguments)
    with pytest.raises(DataError, match=words):
        build("parliament", parliament, {})


@pytest.fixture
def votes(tmp_path):
    return {
        "votes": write_r_table(
            tmp_path / "votes.rda",
            rcid=[20, 20, 3, 3, 30],
            country=["Peru", "Chad", "Peru", "Chad", "Peru"],
            vote=["yes", "abstain", "no", "yes", "yes"],
        ),
        "roll_calls": write_r_table(tmp_path / "calls.rda", rcid=[3, 20, 30], date=[-8766.0, 7669.0, 7670.0]),
    }


def test_unvotes_from_a_small_file(votes):
    matrix = build("unvotes", {"votes": votes["votes"]}, {})
    assert list(matrix.row_names) == ["Chad", "Peru"]
    assert list(matrix.column_names) == ["3", "20", "30"]
    np.testing.assert_array_equal(matrix.codes, [[1, 0, -1], [0, 1, 1]])


def test_unvotes_abstentions_from_a_small_file(votes):
    matrix = build("unvotes_abstentions", {"votes": votes["votes"]}, {})
    assert list(matrix.row_names) == ["Chad", "Peru"]
    assert list(matrix.column_names) == ["3", "20", "30"]
    np.testing.assert_array_equal(matrix.codes, [[0, 1, -1], [0, 0, 0]])


def test_unvotes_coldwar_ends_with_1990_and_skips_abstentions(votes):
    matrix = build("unvotes_coldwar", votes, {})
    assert list(matrix.column_names) == ["3", "20"]  # day 7670 is 1991-01-01
    np.testing.assert_array_equal(matrix.codes, [[1, -1], [0, 1]])


def test_unvotes_coldwar_takes_the_countries_with_most_records(votes, monkeypatch):
    monkeypatch.setattr("nbmf_studies.recipes.unvotes_coldwar.COUNTRIES", 2)
    write_r_table(votes["roll_calls"], rcid=[3, 20, 30, 31], date=[0.0, 1.0, 9e3, 9e3])
    write_r_table(
        votes["votes"],
        rcid=[3, 20, 3, 20, 3, 30, 31],
        country=["Peru", "Peru", "Chad", "Chad", "Fiji", "Fiji", "Fiji"],
        vote=["yes", "no", "abstain", "yes", "yes", "yes", "yes"],
    )
    matrix = build("unvotes_coldwar", votes, {})
    assert list(matrix.row_names) == ["Chad", "Peru"]
    np.testing.assert_array_equal(matrix.codes, [[-1, 1], [1, 0]])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (
            {"rcid": [3, 3], "country": ["Peru", "Chad"], "vote": ["yes", "maybe"]},
            r"votes\.rda: row 2: the vote is 'maybe'; allowed: yes, abstain, no",
        ),
        (
            {"rcid": [3, 3], "country": ["Peru", "Peru"], "vote": ["yes", "no"]},
            r"votes\.rda: row 2: a second vote of Peru in roll call 3",
        ),
        (
            {"rcid": [3, 3], "country": ["Peru", None], "vote": ["yes", "no"]},
            r"votes\.rda: row 2: column 'country' is missing",
        ),
        ({"rcid": [3], "country": ["Peru"]}, r"votes\.rda: has no column 'vote'; its columns are rcid, country"),
    ],
)
def test_damaged_votes(columns, words, votes):
    write_r_table(votes["votes"], **columns)
    own = {"votes": votes["votes"]}
    for recipe, files in {"unvotes": own, "unvotes_abstentions": own, "unvotes_coldwar": votes}.items():
        with pytest.raises(DataError, match=words):
            build(recipe, files, {})


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"rcid": [3, 20], "date": [1.0, 2.0]}, r"calls\.rda: no date for roll call 30, in .*vot"),
        ({"rcid": [3, 3], "date": [1.0, 2.0]}, r"calls\.rda: roll call 3 is there more than once"),
        ({"rcid": [3], "date": ["1946-01-01"]}, r"calls\.rda: column 'date' is not an R Date"),
        ({"rcid": [3]}, r"calls\.rda: has no column 'date'"),
    ],
)
def test_damaged_roll_calls(columns, words, votes):
    write_r_table(votes["roll_calls"], **columns)
    with pytest.raises(DataError, match=words):
        build("unvotes_coldwar", votes, {})


@pytest.mark.parametrize("was_enabled", [True, False])
def test_garbage_is_searched_for_as_before_a_damaged_file(tmp_path, monkeypatch, was_enabled):
    seen = []

    def read(*_, **__):
        seen.append(gc.isenabled())
        raise ValueError

    monkeypatch.setattr(rdata, "read_rda", read)
    (tmp_path / "some.rda").write_bytes(b"RDX3\n")
    try:
        (gc.enable if was_enabled else gc.disable)()
        with pytest.raises(DataError):
            read_r_matrix(tmp_path / "some.rda")
        assert (seen, gc.isenabled()) == ([False], was_enabled)
    finally:
        gc.enable()


def test_truncated_r_files_are_noticed(votes):
    content = votes["votes"].read_bytes()
    for length in range(0, len(content), 11):
        write(votes["votes"], content[:length])
        with pytest.raises(DataError, match=r"votes\.rda: not a complete R data file"):
            build("unvotes", {"votes": votes["votes"]}, {})


def test_other_r_contents_are_refused(tmp_path):
    path = tmp_path / "x.rda"
    rdata.write_rda(path, {"a": [1.0], "b": [2.0]})
    with pytest.raises(DataError, match=r"x\.rda: holds 2 objects; needed is exactly one"):
        read_r_matrix(path)
    write_r_matrix(path, [[0, 1]], ["a"], ["b", "c"])
    with pytest.raises(DataError, match=r"x\.rda: holds a DataArray .*; needed is an R data frame"):
        read_data_frame(path, ["a"])
    with pytest.raises(FileNotFoundError):
        read_r_matrix(tmp_path / "absent.rda")


def test_r_matrices_are_read_without_warnings(tmp_path, recwarn):
    path = write_r_matrix(tmp_path / "m.rda", [[0, 1, np.nan]], ["a"], ["x", "y", "z"])
    values, row_names, column_names = read_r_matrix(path)
    np.testing.assert_array_equal(values, [[0, 1, np.nan]])
    assert list(row_names) == ["a"]
    assert list(column_names) == ["x", "y", "z"]
    assert not recwarn


# The checks themselves.


@pytest.fixture
def matrix():
    codes = np.array([[1, 0, -1], [0, 0, 1]], dtype=np.int8)
    return BinaryMatrix(codes, ["linkin park", "2pac"], ["u1", "u2", "u3"])


def test_counts_name_expected_and_found(matrix):
    check_counts(matrix, {"rows": 2, "columns": 3, "ones": 2, "zeros": 3, "missing": 1}, "d")
    with pytest.raises(DataError, match=r"'d' has not .*: ones 2 instead of 5, missing 1 instead"):
        check_counts(matrix, {"rows": 2, "ones": 5, "missing": 0}, "d")


PUBLISHED_VALUES = np.array([[1, 0, 0], [np.nan, 0, 1]])  # rows 2pac, linkin park; u3, u2, u1
NAMES_IN_R = ["X2pac", "linkin.park"]


@pytest.mark.parametrize("columns", [["u3", "u2", "u1"], ["1", "2", "3"]], ids=["named", "numbers"])
@pytest.mark.parametrize("transposed", [False, True])
def test_published_matrices_are_compared_in_any_order(transposed, columns, matrix, tmp_path):
    values, names = PUBLISHED_VALUES, (NAMES_IN_R, columns)
    if transposed:
        values, names = values.T, names[::-1]
    published = write_r_matrix(tmp_path / "m.rda", values, *names)
    assert check_published(matrix, published, "d") == check_published(matrix.T, published, "d") == 6


def test_a_different_cell_is_named(matrix, tmp_path):
    values = PUBLISHED_VALUES.copy()
    values[1, 1] = 1
    published = write_r_matrix(tmp_path / "m.rda", values, NAMES_IN_R, ["u3", "u2", "u1"])
    words = r"'d': 1 of 6 cells differ from .*m\.rda; the first is row 'linkin park', column 'u2': 0"
    with pytest.raises(DataError, match=words):
        check_published(matrix, published, "d")
    turned = r"the first is row 'u2', column 'linkin park': 0, published 1"
    with pytest.raises(DataError, match=turned):
        check_published(matrix.T, published, "d")


def test_other_names_are_listed(matrix, tmp_path):
    published = write_r_matrix(tmp_path / "m.rda", PUBLISHED_VALUES, ["X2pac", "abba"], ["u3", "u2", "u1"])
    with pytest.raises(DataError, match=r"only there: abba; only in ours: linkin park"):
        check_published(matrix, published, "d")


def test_a_published_matrix_of_another_size_is_refused(matrix, tmp_path):
    published = write_r_matrix(tmp_path / "m.rda", [[0, 1], [1, 0]], NAMES_IN_R, ["1", "2"])
    with pytest.raises(DataError, match=r"other names than ours; shapes \(2, 2\) and \(2, 3\)"):
        check_published(matrix, published, "d")


@pytest.mark.parametrize(
    ("name", "in_r"),
    [
        ("linkin park", "linkin.park"),
        ("ac/dc", "ac.dc"),
        ("2pac", "X2pac"),
        ("...and you", "...and.you"),
        (".5", "X.5"),
        ("_x", "X_x"),
        ("Dürkheim", "Dürkheim"),
        ("plain", "plain"),
    ],
)
def test_names_in_r(name, in_r):
    assert r_name(name) == in_r
