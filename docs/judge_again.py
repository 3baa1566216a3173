"""Judge the main paper's claims again, by today's rules, and draw what η decides, from published values.

    .venv/bin/python docs/judge_again.py

Nothing is fitted: scores and fits with other concentrations are those of reference/lumbreras2020. Traces are not
published, so claim 5 keeps its published parts. Of the text's orientation the medians of the page are judged; parts
that need more are those of the scripts' orientation, as they were when both runs were published. `docs/publish.py` does
the same from a run that has made `lumbreras2020_readings`, `docs/judge_study.py` from what another study publishes.
"""

import pandas as pd
import redraw
from judge_study import keep_parts, read_markdown
from publish import (
    ROOT,
    STUDY,
    compare_judged,
    published_sections,
    sections_of_both,
    sections_of_claims,
    sections_of_readings,
    shipped_plan,
    write_into_page,
)

from nbmf.plotting import style
from nbmf_studies import all_studies
from nbmf_studies.framework.verdicts import combine_verdicts, judge, judge_readings
from nbmf_studies.lumbreras2020 import claims, readings
from nbmf_studies.lumbreras2020.second_reading import observed_counts

FIRST = "### The paper's claims"
AGAIN = "### The claims under other readings"
BOTH = "### The claims in both orientations"
MEDIANS = "### The orientation:"
NO_TRACES = pd.DataFrame(columns=["dataset", "method", "K", "iteration", "perplexity"])
BY_TRACES, BY_COMPONENTS, BY_SPREAD = 5, 6, "varies less"  # claims, and a part, that medians do not decide
Judged = tuple[pd.DataFrame, pd.DataFrame]  # verdicts and parts


def main() -> None:
    """Write the sections on claims, and the figure of η."""
    write_into_page(STUDY, judge_sections(published_sections()))
    style.use_no_screen()
    plan = shipped_plan(STUDY)
    figure = next(each for each in all_studies()[STUDY].figures_of(plan) if each.name == "eta")
    redraw.save(STUDY, figure, redraw.drawn(figure, plan, redraw.read_needs(figure, plan, ROOT / "reference" / STUDY)))


def judge_sections(sections: list[str]) -> list[str]:
    """Return the sections of the page, those on claims judged again; their parts are written to files."""
    first = judge_first()
    medians = read_medians(next(section for section in sections if section.startswith(MEDIANS)))
    turned = " and ".join(medians["dataset"].unique())
    renewed = {
        FIRST: sections_of_claims({"claims": first[0], "claims_parts": first[1]}),
        AGAIN: sections_of_readings(judge_tables(first[0])),
        BOTH: sections_of_both(turned, *compare_judged(first, judge_text(first[1], medians))),
    }
    titles = [section.partition("\n")[0] for section in sections]
    return [
        "\n\n".join(renewed[title]) if title in renewed else section
        for title, section in zip(titles, sections, strict=True)
    ]


def read(name: str) -> pd.DataFrame:
    """Return a published table of the study."""
    return pd.read_csv(ROOT / f"reference/{STUDY}/{name}.csv")


def judge_first() -> Judged:
    """Return the verdicts on the claims and their parts."""
    kept = keep_parts(claims.CLAIMS, read("claims_parts"))
    rules = [
        published if number == BY_TRACES else claim
        for number, (claim, published) in enumerate(zip(claims.CLAIMS, kept, strict=True), start=1)
    ]
    return judge(rules, claims.Results(read("scores"), NO_TRACES), claims.has_all_datasets)


def judge_tables(first: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the published tables of the second readings, with those of their verdicts."""
    names = ("scores", "eta", "one_side", "long_chains", "eta_losses", "ranges")
    tables = {name: read(name) for name in names}
    run = readings.Results(
        *(tables[name] for name in names[:3]),
        long=tables["long_chains"],
        losses=tables["eta_losses"],
        **observed_counts(shipped_plan(STUDY)),
    )
    again, parts = judge_readings(readings.READINGS, run, claims.has_all_datasets)
    return tables | {"readings": again, "readings_parts": parts, "verdicts": combine_verdicts(first, again)}


def read_medians(section: str) -> pd.DataFrame:
    """Return the published medians in the text's orientation, as scores of one mask."""
    wide = read_markdown(section).set_index(["method", "K"])
    of_text = {name: name.partition(",")[0] for name in wide if name.endswith("text")}
    long = wide[list(of_text)].rename(columns=of_text).melt(ignore_index=False, var_name="dataset")
    return long.rename(columns={"value": "perplexity"}).reset_index().assign(mask=0)


def judge_text(parts: pd.DataFrame, medians: pd.DataFrame) -> Judged:
    """Return the verdicts and parts with some datasets in the text's orientation.

    parts : DataFrame, those in the orientation of the scripts
    medians : DataFrame, as `read_medians` returns it
    """
    scores = read("scores")
    scores = pd.concat([scores[~scores["dataset"].isin(medians["dataset"])], medians])
    decided = judge(claims.CLAIMS[: BY_TRACES - 1], claims.Results(scores, NO_TRACES))[1]
    undecided = parts["number"].isin([BY_TRACES, BY_COMPONENTS]) | (parts["where"] == BY_SPREAD)
    every = pd.concat([decided[decided["where"] != BY_SPREAD], parts[undecided]])
    return judge(keep_parts(claims.CLAIMS, every), None)


if __name__ == "__main__":
    main()
