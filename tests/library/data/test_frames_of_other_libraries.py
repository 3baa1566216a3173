"""DataFrames that have `to_pandas`, as those of polars, are taken wherever those of pandas are."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.data.category_matrix import category_names_of
from nbmf.data.feature_table import FeatureTable
from nbmf.data.named import align_with, names_of
from nbmf.families.mixed_membership.feature_model import FeatureModel

rng = np.random.default_rng(0)
VALUES = np.where(rng.random((24, 4)) < 0.1, np.nan, rng.random((24, 4)) < 0.4)
FRAME = pd.DataFrame(VALUES, columns=list("abcd"))
WITHOUT_VALUES = FRAME.assign(empty=np.nan)  # a column that is left out
MIXED = pd.DataFrame({"word": list("xyz") * 8, "number": rng.normal(size=24)})
LEVELS = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
ORDERED = pd.DataFrame({name: list(name) * 12 for name in ("lm", "mh")}).replace({"l": "low", "m": "mid", "h": "high"})


class OtherFrame:
    """A DataFrame of another library: it has neither index nor iloc."""

    def __init__(self, frame):
        self._frame = frame
        self.columns, self.shape = list(frame.columns), frame.shape

    def to_numpy(self):
        return self._frame.to_numpy()

    def to_pandas(self):
        return self._frame.copy()


def fit(V):
    model = nbmf.BetaDirVB(2, max_iter=5, random_state=0).fit(V)
    return model.W_, model.column_names_, model.transform(V)


def fit_features(V):
    model = FeatureModel(2, model="mnb", random_state=0).fit(V)
    return model.prior_, model.evaluate(V).bounds


def compare(V):
    return nbmf.compare(V, ["mnb-rows"], K=2, masks=1, log=None).scores.drop(columns="seconds").to_csv()


def analyze(V):
    arguments = {"method": "mnb-rows", "n_components": 2, "check": False, "column_groups": list("xxyyz")}
    return nbmf.analyze(V, log=lambda line: None, **arguments).tables["H"].to_csv()


@pytest.mark.filterwarnings("ignore::nbmf.errors.LeftOutWarning", "ignore::nbmf.errors.PoorFitWarning")
@pytest.mark.parametrize(
    ("give", "frame"),
    [
        (fit, FRAME),
        (fit_features, MIXED),
        (compare, WITHOUT_VALUES),
        (analyze, WITHOUT_VALUES),
        (names_of, FRAME),
        (category_names_of, ORDERED.astype(LEVELS)),
        (lambda V: align_with(pd.Series(list("wxyz"), list("dcba")), V, 1), FRAME),
        (lambda V: nbmf.draw_mask(V, 0.2, seed=1), WITHOUT_VALUES),
        (lambda V: nbmf.BinaryMatrix.from_frame(V).column_names, WITHOUT_VALUES),
        (lambda V: nbmf.CountMatrix.from_frame(V).column_names, WITHOUT_VALUES),
        (lambda V: nbmf.CategoryMatrix.of(V).categories, ORDERED.astype(LEVELS)),
        (lambda V: FeatureTable.of(V).categories, MIXED),
        (lambda V: FeatureTable.from_frame(V, {"number": "gaussian"}).column_names, MIXED),
        (lambda V: FeatureTable.from_documents(V).column_names, FRAME.fillna(0)),
    ],
)
def test_what_is_given_is_what_pandas_would_give(give, frame):
    for one, other in zip(*map(as_arrays, (give(OtherFrame(frame)), give(frame))), strict=True):
        np.testing.assert_array_equal(one, other)


def as_arrays(given):
    return given if isinstance(given, tuple) else (given,)
