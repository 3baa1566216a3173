"""Messages that mention arguments: in Python's words, as options are typed, and never as mere text."""

import ast
import copy
import importlib
import inspect
import pickle
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import nbmf
from nbmf import registry
from nbmf.cli.arguments import COMMANDS, render_message
from nbmf.errors import ConfigError, DataError, DownloadError, Message, NbmfError, Setting, choices, not_allowed
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.io.documents import read_documents
from nbmf.io.features import read_table

SOURCES = Path(nbmf.__file__).parent
FUNCTIONS = (nbmf.read, nbmf.compare, nbmf.run_chains, nbmf.posterior_draws, read_documents, read_table, FeatureModel)
ESTIMATORS = [registry.estimator_class(name) for name in registry.all_classes()]
ARGUMENTS = {name for each in (*FUNCTIONS, *ESTIMATORS) for name in inspect.signature(each).parameters}


@pytest.mark.parametrize(
    ("setting", "python", "fit"),
    [
        (Setting("missing", "?"), "missing = '?'", "--missing '?'"),
        (Setting("missing", [...]), "missing = [...]", "--missing TEXT"),
        (Setting("ignore", ["a", "b c"]), "ignore = ['a', 'b c']", "--ignore a --ignore 'b c'"),
        (Setting("layout", None), "layout = None", "no --layout"),
        (Setting("header", False), "header = False", "--no-header"),
        (Setting("counts", True), "counts = True", "--counts"),
        (Setting("transpose", True), "transpose = True", "--transpose"),
        (Setting("name", ...), "name = ...", "--name NAME"),
        (Setting("n_components"), "n_components", "--components"),
        (Setting("n_components", 40), "n_components = 40", "--components 40"),
        (Setting("random_state", -1), "random_state = -1", "--seed -1"),
        (Setting("max_memory_gb"), "max_memory_gb", "--set max_memory_gb=..."),
        (Setting("block_moves", True), "block_moves = True", "--set block_moves=true"),
        (Setting("start", "mean-field"), "start = 'mean-field'", "--set start=mean-field"),
    ],
)
def test_a_setting_in_python_and_in_the_options_of_fit(setting, python, fit):
    assert str(setting) == python
    assert COMMANDS["fit"].format_setting(setting) == fit


def test_commands_without_set_and_with_options_of_their_own():
    assert COMMANDS["cluster"].format_setting(Setting("inner_max", 5)) == "inner_max = 5"
    assert COMMANDS["cluster"].format_setting(Setting("kinds", {"a b": "count"})) == "--kind 'a b=count'"
    assert COMMANDS["topics"].format_setting(Setting("long", ["a", "b", "c"])) == "--layout long"
    assert COMMANDS["compare"].format_setting(Setting("n_components", [2, 3])) == "--components 2 3"
    assert COMMANDS["plot"].format_setting(Setting("lines", 0)) == "--rows 0"


def test_an_error_keeps_its_parts_wherever_it_goes():
    inner = not_allowed("n_components", 0, Message("0 with ", Setting("effects", "rows")))
    assert (inner.parameter, inner.value, inner.allowed) == ("n_components", 0, "0 with effects = 'rows'")
    outer = DataError("v.csv: ", inner, "; --no-check holds nothing out")
    words = "v.csv: {}: must be 0 with {}; --no-check holds nothing out"
    for error in (outer, copy.deepcopy(outer), pickle.loads(pickle.dumps(outer))):
        assert str(error) == words.format("n_components = 0", "effects = 'rows'")
        assert render_message(error.message, "fit") == words.format("--components 0", "--set effects=rows")
    assert pickle.loads(pickle.dumps(inner)).parameter == "n_components"
    assert str(not_allowed("side", "row", ["rows", "both"])).endswith(
        "must be one of rows, both (did you mean 'rows'?)"
    )
    assert str(DownloadError("none of ", Setting("place"))) == "none of place"  # an OSError takes two texts apart
    assert ConfigError("plain").parameter is None


def texts_of(call: ast.Call):
    """Yield the texts in the arguments of a call, with {} for what is computed."""
    for argument in call.args:
        in_formatted = set()
        for node in ast.walk(argument):
            if isinstance(node, ast.JoinedStr):
                in_formatted.update(map(id, node.values))
                yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in in_formatted:
                yield node.value


def test_no_message_has_an_argument_as_text():
    """Such a text would name Python's argument on the command line."""
    of_messages = {each.__name__ for each in NbmfError.__subclasses__()}
    of_messages |= {"Message", "not_allowed", "warn", "warnings.warn", "Rule"}
    compound = "|".join(name for name in ARGUMENTS if "_" in name)
    as_text = re.compile(rf"(\b({'|'.join(ARGUMENTS)})|{{}}) ?= ?[\w{{'\[]|\b({compound})\b")
    found, count = [], 0
    for path in sorted(SOURCES.rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in of_messages:
                for text in texts_of(call):
                    count += 1
                    is_other = "n_features" in text or "a matrix file holds" in text  # an array of this name
                    if text not in ARGUMENTS and not is_other and as_text.search(text):
                        found.append(f"{path.relative_to(SOURCES)}, line {call.lineno}: {text}")
    assert found == []  # but for those that have scikit-learn's words
    assert count > 300


def every_kind(kind=NbmfError):
    for each in kind.__subclasses__():
        yield each
        yield from every_kind(each)


def test_errors_of_every_kind_come_back_from_another_process():
    """As from the jobs of a grid search; kinds with arguments of their own too."""
    for module in pkgutil.walk_packages(nbmf.__path__, "nbmf."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    kinds = {each for each in every_kind() if each.__module__.startswith("nbmf.")}
    assert len(kinds) > 10
    for kind in kinds:
        error = kind.__new__(kind)
        NbmfError.__init__(error, "the value of ", Setting("alpha", 3))
        error.allowed = "2"
        for copied in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(copied) is kind
            assert (str(copied), copied.allowed) == ("the value of alpha = 3", "2")
            assert copied.message.parts == error.message.parts


def test_a_wrong_value_in_a_job_of_a_grid_search_is_named():
    search = GridSearchCV(nbmf.BetaDirVB(max_iter=2), {"n_components": [2, 3]}, cv=2, n_jobs=2, error_score="raise")
    with pytest.raises(DataError, match=r"row 1, column 0 .* the value is 2; allowed: 0, 1"):
        search.fit(np.array([[0, 1], [2, 1], [0, 1], [2, 1]]))


def test_of_very_many_choices_the_nearest_are_listed():
    few = [f"method-{number}" for number in range(70)]
    assert choices("methd-7", few) == f"allowed: {', '.join(few)} (did you mean 'method-7'?)"
    many = [*few, "other"]
    said = choices("methd-7", many)
    assert said.startswith("allowed: method-7, ")
    assert said.endswith(" and 41 others (did you mean 'method-7'?)")
    assert said.count(",") == 29
    assert "other," not in said
