"""Tables with 1, 0 and -1: a no or missing."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import DataError
from nbmf.io.signed_values import SignsError

ROLL_CALLS = np.random.default_rng(0).choice([1, -1, 0], (12, 6), p=[0.5, 0.4, 0.1])
FEW_MISSING = np.random.default_rng(0).choice([1, 0, -1], (12, 6), p=[0.45, 0.45, 0.1])
FRAME = pd.DataFrame(ROLL_CALLS, [f"m{i}" for i in range(12)], [f"b{n}" for n in range(6)])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path, **options):
    return nbmf.read(path, log=lambda line: None, **options).codes


def refused_readings(path, words):
    """Return the arguments of the readings that are named where a file is refused with these words."""
    with pytest.raises(SignsError, match=words) as found:
        read(path)
    return [arguments for arguments, _ in found.value.readings]


def test_frequent_minus_ones_are_refused_with_readings_that_work():
    FRAME.to_csv("votes.csv")
    as_no, in_order, as_missing = refused_readings(
        "votes.csv", r"of the values are -1, and .* are 0: -1 may be a no or mean missing"
    )
    wanted = np.select([ROLL_CALLS == 1, ROLL_CALLS == -1], [1, 0], -1)
    np.testing.assert_array_equal(read("votes.csv", **as_no), wanted)
    np.testing.assert_array_equal(read("votes.csv", **as_missing), ROLL_CALLS)
    np.testing.assert_array_equal(read_any("votes.csv", in_order).ranks, ROLL_CALLS + 1)


def test_proportions_are_of_all_that_is_no_blank():
    """Of 20 values, next to 4 blanks, 6 are -1 and 4 are 0."""
    values = np.repeat(["1", "-1", "0", ""], [10, 6, 4, 4]).reshape(4, 6, order="F")
    pd.DataFrame(values, columns=FRAME.columns).to_csv("votes.csv", index=False)
    with pytest.raises(SignsError, match=r"votes.csv: 30.0% of the values are -1, and 20.0% are 0: -1 may be a no"):
        read("votes.csv")


def test_other_texts_stay_missing_in_each_reading():
    FRAME.astype(float).where(FRAME.to_numpy().cumsum(axis=1) != 1).to_csv("votes.csv", na_rep="NA")
    with pytest.raises(SignsError) as found:
        read("votes.csv")
    for options, _ in found.value.readings:
        assert "NA" in options["missing"]
        assert read_any("votes.csv", options).shape[0] == 12


def read_any(path, options):
    return nbmf.read(path, log=lambda line: None, **options)


def test_without_zeros_there_are_two_readings():
    FRAME.replace(0, "").to_csv("votes.csv")
    with pytest.raises(SignsError, match="of the values are -1: ") as found:
        read("votes.csv")
    assert [options.get("zeros") for options, _ in found.value.readings] == [["-1"], None]


def test_a_list_and_a_table_of_numbers_are_asked_about_too():
    FRAME.rename_axis("m").reset_index().melt("m").to_csv("long.csv", index=False)
    FRAME.to_parquet("votes.parquet")
    np.save("votes.npy", ROLL_CALLS)
    for path, options in (("long.csv", {"layout": "long"}), ("votes.parquet", {}), ("votes.npy", {})):
        with pytest.raises(SignsError):
            read(path, **options)
        assert (read(path, **options, missing=["-1"]) == -1).sum() == (ROLL_CALLS == -1).sum()


def test_few_minus_ones_and_codes_are_missing_as_before():
    pd.DataFrame(FEW_MISSING).to_csv("few.csv", index=False, header=False)
    np.save("codes.npy", ROLL_CALLS.astype(np.int8))
    np.testing.assert_array_equal(read("few.csv"), FEW_MISSING)
    np.testing.assert_array_equal(read("codes.npy"), ROLL_CALLS)


def test_a_frame_is_asked_about_but_not_one_of_codes_nor_an_array():
    with pytest.raises(DataError, match=r"-1 is there \d+ times, and 0 .* with zeros = \[-1\], missing = \[0\]; if "):
        nbmf.BinaryMatrix.from_frame(FRAME)
    with pytest.raises(DataError, match="-1 is there"):
        nbmf.BinaryICA(2).fit(FRAME)
    wanted = np.select([ROLL_CALLS == 1, ROLL_CALLS == -1], [1, 0], -1)
    np.testing.assert_array_equal(nbmf.BinaryMatrix.from_frame(FRAME, zeros=[-1], missing=[0]).codes, wanted)
    for same in (nbmf.BinaryMatrix.from_frame(FRAME.replace(-1, np.nan)), nbmf.BinaryMatrix.of(ROLL_CALLS)):
        np.testing.assert_array_equal(same.codes, ROLL_CALLS)
    np.testing.assert_array_equal(nbmf.BinaryMatrix.from_frame(FRAME.astype(np.int8)).codes, ROLL_CALLS)


def signed_network():
    """Nine nodes, whose negative ties are less than a fifth of all pairs."""
    ties = np.zeros((9, 9), int)
    ties[0, 1:5], ties[1, 2:4], ties[5, 6:9] = 1, 1, -1
    ties = ties + ties.T
    names = [f"n{i}" for i in range(9)]
    return pd.DataFrame(ties, names, names)


def test_few_negative_ties_of_a_network_are_not_taken_for_missing_ones():
    network = signed_network()
    network.to_csv("signed.csv")
    of_signs, in_order, as_missing = refused_readings(
        "signed.csv", r"7\.4% of the values are -1, .*: -1 may be a negative tie or mean missing"
    )
    np.testing.assert_array_equal(read("signed.csv", **of_signs), np.select([network == 1, network == -1], [1, 0], -1))
    np.testing.assert_array_equal(read_any("signed.csv", in_order).ranks, network + 1)
    np.testing.assert_array_equal(read("signed.csv", **as_missing), network)
    with pytest.raises(DataError, match="it may be a negative tie or mean missing"):
        nbmf.BinaryMatrix.from_frame(network)


def test_minus_ones_on_the_diagonal_alone_are_missing():
    network = signed_network().replace(-1, 0)
    network = network.mask(np.eye(9, dtype=bool), -1)
    network.to_csv("network.csv")
    assert (np.diagonal(read("network.csv")) == -1).all()
    assert (np.diagonal(nbmf.BinaryMatrix.from_frame(network).codes) == -1).all()


def test_numbered_rows_and_columns_are_no_network():
    assert (nbmf.BinaryMatrix.from_frame(signed_network().reset_index(drop=True)).codes == -1).any()
