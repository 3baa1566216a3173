"""Judge the claims of another study than the main one again, by today's rules, from its published values.

    .venv/bin/python docs/judge_study.py shan2009

Nothing is fitted: tables of verdicts and parts are written anew into the study's page and reference/<study>. Where what
claims are decided from is not all published, their parts stay as they are and words alone are renewed, so that a rule
which decides otherwise needs a run there.
"""

import argparse
import importlib
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial

import pandas as pd
import redraw
from publish import ROOT, STUDY, published_sections, render_table, shipped_plan, write_into_page
from publish_study import sections_of

from nbmf.fits import import_function
from nbmf_studies import all_studies
from nbmf_studies.framework.declaration import Table
from nbmf_studies.framework.plan import Plan
from nbmf_studies.framework.verdicts import Claim, Part, Reading, combine_verdicts, judge, judge_readings

JUDGES = {"claims": judge, "readings": judge_readings}


def main() -> None:
    """Write the verdicts of a study's page, and their parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=sorted(set(all_studies()) - {STUDY}))
    study = parser.parse_args().study
    write_into_page(study, renewed_sections(study))


def renewed_sections(study: str) -> list[str]:
    """Return the sections of a study's page, those on claims anew; long tables are written to files."""
    plan = shipped_plan(study, has_all_data=True)  # values are published, whether or not their data are at hand
    tables = {table.name: table for table in all_studies()[study].tables_of(plan)}
    judged = {}
    for name in (name for name in JUDGES if name in tables):
        judged[name], judged[f"{name}_parts"] = verdicts_and_parts(plan, tables, name)
    if "readings" in judged:
        judged["verdicts"] = combine_verdicts(judged["claims"], judged["readings"])
    renewed = {}
    for name, table in judged.items():
        title, *rest = sections_of(tables[name], plan, render_table(table, study, name))
        renewed[title] = "\n\n".join([title, *rest])
    return [renewed.get(section.partition("\n")[0], section) for section in published_sections(ROOT, study)]


def verdicts_and_parts(plan: Plan, tables: dict[str, Table], name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of the claims, or readings, of a study and of their parts.

    name : str, "claims" or "readings"
    """
    parts = tables[f"{name}_parts"]
    needs = {role: published(plan, tables[need.name]) for role, need in parts.needs(plan).items()}
    if all(table is not None for table in needs.values()):
        return tuple(import_function(each.make)(**needs, **each.arguments(plan)) for each in (tables[name], parts))
    rules = getattr(importlib.import_module(f"nbmf_studies.{plan.key}.{name}"), name.upper())
    return JUDGES[name](keep_parts(rules, published(plan, parts)), None)


def published(plan: Plan, table: Table) -> pd.DataFrame | None:
    """Return a table as it is published: a file, or on the page; None if it is neither."""
    file = ROOT / f"reference/{plan.key}/{table.name}.csv"
    if file.exists():
        return pd.read_csv(file) if table.in_reference else redraw.read(file)
    title = f"### {table.title_of(plan)}\n"
    return read_markdown(next((each for each in published_sections(ROOT, plan.key) if each.startswith(title)), ""))


def read_markdown(section: str) -> pd.DataFrame | None:
    """Return the first table of a section, or None if it has none."""
    titles, *rows = [cells(line) for line in section.splitlines() if line.startswith("| ")] or [[]]
    if not rows:
        return None
    shown = pd.DataFrame(rows[1:], columns=[title.replace(" ", "_") for title in titles])  # without the line of dashes
    return pd.read_csv(io.StringIO(shown.to_csv(index=False)))  # with numbers


def cells(line: str) -> list[str]:
    """Return the cells of a row of a table in Markdown."""
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def keep_parts(rules: Iterable[Claim | Reading], parts: pd.DataFrame) -> Iterator[Claim | Reading]:
    """Yield claims, or readings, that are decided as the published parts say."""
    for place, rule in enumerate(rules, start=1):
        own = parts[parts["number"] == getattr(rule, "number", place)]
        if isinstance(rule, Reading):
            own = own[own["reading"] == rule.reading]
        decided = [
            Part(one.where, str(one.holds) == "True", one.evidence, one.whose == "ours") for one in own.itertuples()
        ]
        yield rule._replace(decide=partial(_as_published, decided))


def _as_published(parts: list[Part], run: None) -> list[Part]:
    return parts


if __name__ == "__main__":
    main()
