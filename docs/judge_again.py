"""Judge the main paper's claims by their second rules and draw what η decides, from published values.

    .venv/bin/python docs/judge_again.py

Nothing is fitted: scores and fits with other concentrations are those of reference/lumbreras2020, the first verdicts
those of the page. `docs/publish.py` does the same from a run that has made `lumbreras2020_readings`.
"""

import re

import pandas as pd
import redraw
from publish import ROOT, STUDY, published_sections, sections_of_readings, shipped_plan, write_into_page

from nbmf.plotting import style
from nbmf_studies import all_studies
from nbmf_studies.framework.verdicts import combine_verdicts, judge_readings
from nbmf_studies.lumbreras2020.readings import READINGS, Results
from nbmf_studies.lumbreras2020.second_reading import observed_counts

FIRST = "### The paper's claims"
AGAIN = "### The claims under other readings"


def main() -> None:
    """Write the section of the claims under other readings, and the figure of η."""
    write_into_page(STUDY, insert_readings(published_sections()))
    style.use_no_screen()
    plan = shipped_plan(STUDY)
    figure = next(each for each in all_studies()[STUDY].figures_of(plan) if each.name == "eta")
    redraw.save(STUDY, figure, redraw.drawn(figure, plan, redraw.read_needs(figure, plan, ROOT / "reference" / STUDY)))


def insert_readings(sections: list[str]) -> list[str]:
    """Return the sections with the claims under other readings after the first verdicts, instead of those that were."""
    first = next(i for i, section in enumerate(sections) if section.startswith(FIRST))
    again = "\n\n".join(sections_of_readings(judge_tables(first_verdicts(sections[first]))))
    kept = [section for section in sections if not section.startswith(AGAIN)]
    return [*kept[: first + 1], again, *kept[first + 1 :]]


def first_verdicts(section: str) -> pd.DataFrame:
    """Return number, claim and verdict of each row of the published table."""
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if re.match(r"\| \d", line)]
    return pd.DataFrame([[int(row[0]), *row[1:3]] for row in rows], columns=["number", "claim", "verdict"])


def judge_tables(first: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the published tables of the second readings, with those of their verdicts."""
    names = ("scores", "eta", "one_side", "long_chains", "eta_losses", "ranges")
    tables = {name: pd.read_csv(ROOT / f"reference/{STUDY}/{name}.csv") for name in names}
    run = Results(
        *(tables[name] for name in names[:3]),
        long=tables["long_chains"],
        losses=tables["eta_losses"],
        **observed_counts(shipped_plan(STUDY)),
    )
    readings, parts = judge_readings(READINGS, run)
    return tables | {"readings": readings, "readings_parts": parts, "verdicts": combine_verdicts(first, readings)}


if __name__ == "__main__":
    main()
