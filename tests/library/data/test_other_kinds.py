"""Counts without a word on their kind: how to say it, where values are taken for binary, and nowhere else."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.data.other_kinds import naming_other_kinds
from nbmf.errors import DataError

COUNTS = np.random.default_rng(0).poisson(2, (30, 8))
FRAME = pd.DataFrame(COUNTS, columns=list("abcdefgh"))
HINT = ". For counts give nbmf.CountMatrix.of(V), for ordered categories nbmf.CategoryMatrix.of(V)"


def quiet(line):
    pass


FUNCTIONS = {
    "analyze": lambda V: nbmf.analyze(V, log=quiet),
    "compare": lambda V: nbmf.compare(V, masks=1, log=quiet),
    "verdict": nbmf.verdict,
}


@pytest.mark.parametrize("V", [COUNTS, FRAME, COUNTS.tolist()], ids=["array", "frame", "lists"])
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_counts_are_refused_with_how_to_give_them(function, V):
    with pytest.raises(DataError, match=r"^row 0, column .*: the value is 2; allowed: ") as refused:
        function(V)
    assert str(refused.value).endswith(HINT)


def test_what_the_hint_says_is_taken():
    assert nbmf.verdict(nbmf.CountMatrix.of(FRAME)).method
    assert nbmf.verdict(nbmf.CategoryMatrix.of(COUNTS)).method


OTHERS = {
    "fractions": COUNTS / 2,
    "many of -1": FRAME.clip(upper=1).replace(0, -1),
    "one name twice": FRAME.clip(upper=1).set_axis(list("aacdefgh"), axis=1),
    "nothing": np.full((3, 3), np.nan),
}


@pytest.mark.parametrize("V", OTHERS.values(), ids=OTHERS)
def test_what_is_no_count_is_refused_without_the_hint(V):
    with pytest.raises(DataError) as refused, naming_other_kinds(V):
        raise DataError("a reason")
    assert str(refused.value) == "a reason"
