"""The targets of a run: their names and files, and which paths a rule with wildcards makes."""

import re
from types import SimpleNamespace

from nbmf.fit_key import FitKey
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import Reports
from nbmf_studies.pipeline import targets
from nbmf_studies.pipeline.paths import Paths


def product(kind, name, **further):
    return kind(name, name, make="none:none", **further)


def run(key, figures=(), tables=(), **further):
    made = targets.Targets([product(Figure, name) for name in figures], [product(Table, name) for name in tables], [])
    made.figures.extend(further.get("asked", []))
    made.tables.extend(further.get("reported", []))
    return targets.StudyRun(Study(key, key, "", (), ()), SimpleNamespace(), made, Paths("results", "matrices", key))


ASKED_FOR = product(Figure, "asked_for", on_request="confirm")
RUNS = {
    "one": run("one", ["figure_1", "traces_a.b"], ["scores"], reported=[product(Table, "claims", in_report=True)]),
    "one_more": run(
        "one_more", asked=[product(Figure, "asked_for", on_request="confirm")], tables=["claims", "summary"]
    ),
}


def test_targets_are_named_after_their_study():
    targets = RUNS["one"].by_name()
    assert list(targets) == ["one_table_scores", "one_table_claims", "one_figure_1", "one_traces_a.b"]
    assert RUNS["one"].files_of(targets["one_table_scores"]) == ["results/one/tables/scores.csv"]
    assert RUNS["one"].files_of(targets["one_figure_1"]) == [
        f"results/one/figures/figure_1.{x}" for x in ("pdf", "png")
    ]
    assert RUNS["one"].figure("figure_1") is targets["one_figure_1"]
    assert RUNS["one"].table("claims") is targets["one_table_claims"]
    assert RUNS["one"].score_tables() == ["results/one/tables/scores.csv"]


def test_what_is_made_on_request_is_a_target_and_not_shown_unasked():
    assert "one_more_asked_for" in RUNS["one_more"].by_name()
    together = RUNS["one_more"].on_request()
    assert {name: [product.name for product in products] for name, products in together.items()} == {
        "one_more_confirm": ["asked_for"]
    }
    assert RUNS["one"].on_request() == {}
    assert [product.name for product in RUNS["one_more"].unasked()] == ["claims", "summary"]


def test_the_fits_behind_what_is_shown_unasked_are_asked_for_by_name():
    shown, whole, later = (FitKey("votes", "bica", 2, mask, 0) for mask in (0, None, 1))
    scores = product(Table, "scores", needs=lambda _: {"fits": Reports([shown]), "chains": Reports([whole, shown])})
    asked = product(Table, "more", needs=lambda _: {"fits": Reports([later])}, on_request="confirm")
    made = targets.Targets([], [scores, asked], [])
    plan = SimpleNamespace(fits=[whole, shown, later])
    own = targets.StudyRun(Study("own", "own", "", (), ()), plan, made, Paths("results", "matrices", "own"))
    assert own.reports_shown() == [own.paths.report(shown), own.paths.report(whole)]


def matched(kind, keep):
    """Return the paths that a rule makes whose last wildcard has the pattern, as Snakemake looks for it."""
    suffix = {"tables": "csv", "figures": "png"}[kind]
    rule = re.compile(rf"results/(?P<study>.+)/{kind}/(?P<name>{targets.pattern(kind, RUNS, keep)})\.{suffix}$")
    names = ("scores", "claims", "summary", "figure_1", "traces_a.b", "traces_aXb", "asked_for", "scores2")
    paths = [f"results/{study}/{kind}/{name}.{suffix}" for study in RUNS for name in names]
    return [path.removeprefix("results/").partition(".csv")[0] for path in paths if rule.match(path)]


def test_a_rule_makes_what_its_studies_make_and_nothing_else():
    assert matched("tables", lambda table: not table.in_report) == [
        "one/tables/scores",
        "one_more/tables/claims",
        "one_more/tables/summary",
    ]
    assert matched("tables", lambda table: table.in_report) == ["one/tables/claims"]
    assert matched("tables", lambda table: False) == []
    assert matched("figures", lambda figure: True) == [
        "one/figures/figure_1.png",
        "one/figures/traces_a.b.png",
        "one_more/figures/asked_for.png",
    ]
