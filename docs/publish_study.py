"""Publish a run of any other study than the main one: its figures and the tables of its report.

    snakemake --cores 2 learned_priors
    .venv/bin/python docs/publish_study.py learned_priors

What lies between the marks of the study's page and docs/figures/<study>_*.png are made by this
script alone; scores, if there are any, for `make verify`, values of every replication and long tables go to
reference/<study>. Readings of a paper other than the first are published where the run has them:

    snakemake --cores 2 klami2015_readings

With --keep the page keeps what it shows of products that the run does not have, as after a run of one table:

    snakemake --cores 2 votes_as_cast_table_answers_summary
"""

import argparse
import shutil
from pathlib import Path

import pandas as pd
from publish import (
    ROOT,
    SOURCES,
    compress,
    link,
    path,
    published_sections,
    render_table,
    shipped_plan,
    versions,
    write_into_page,
)

import nbmf_studies
from nbmf_studies import all_studies
from nbmf_studies.framework.declaration import Product
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline.paths import SCORE_TABLES

EARLIER = "Of an earlier run."  # what --keep keeps


def main() -> None:
    """Write the results of a study's page, its figures and reference/<study>/."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=sorted(all_studies()))
    parser.add_argument("--results", type=path, default=ROOT / "results")
    parser.add_argument("--keep", action="store_true", help="what the page shows and the run does not have stays")
    options = parser.parse_args()
    results = options.results / options.study
    study, plan = all_studies()[options.study], shipped_plan(options.study)
    sections = [
        "## Results of the published run",
        f"Made by `docs/publish_study.py {options.study}` from a run of `snakemake --cores 2 {options.study}`.",
        versions(options.results),
    ]
    if (results / SOURCES).exists():
        sections.append((results / SOURCES).read_text(encoding="utf-8"))
    figures = study.figures_of(plan)
    before = shown_before(options.study) if options.keep else {}
    for product in (*figures, *study.tables_of(plan)):
        picture = results / f"figures/{product.name}.png"
        table = results / f"tables/{product.name}.csv"
        long_table = ROOT / f"reference/{options.study}/{product.name}.csv"
        is_figure = any(product is figure for figure in figures)
        is_reported_table = product.in_report and not is_figure
        if picture.exists() and is_figure:
            name = f"{options.study}_{product.name}.png"
            compress(picture, ROOT / "docs/figures" / name)
            content = f"![{product.title_of(plan)}](figures/{name})"
        elif table.exists() and is_reported_table:
            content = render_table(pd.read_csv(table).round(4), options.study, product.name, ROOT)
        elif options.keep and is_reported_table and long_table.exists():
            content = f"{link(len(pd.read_csv(long_table)), options.study, product.name)} {EARLIER}"
        elif (product.title_of(plan), is_figure) in before:
            shown = before[product.title_of(plan), is_figure]
            sections.append(shown if shown.endswith(EARLIER) else f"{shown}\n\n{EARLIER}")
            continue
        else:
            if is_reported_table:  # its data were not at hand, or the run failed
                print(f"not among the results, so not on the page: {product.title_of(plan)}")
            continue
        sections += sections_of(product, plan, content)
    write_into_page(options.study, sections, ROOT)
    kept = [*SCORE_TABLES, *(table.name for table in study.tables_of(plan) if table.in_reference)]
    for table in (results / f"tables/{name}.csv" for name in kept):
        if table.exists():  # there are no scores of a study without held-out masks
            reference = ROOT / "reference" / options.study
            reference.mkdir(parents=True, exist_ok=True)
            shutil.copy(table, reference)


def sections_of(product: Product, plan: Plan, content: str) -> list[str]:
    """Return the title of a figure or table, its caption, and what is shown."""
    text = (Path(nbmf_studies.__file__).parent / product.caption).read_text(encoding="utf-8")
    caption = text.partition(".. csv-table::")[0].strip().replace("``", "`")
    return [f"### {product.title_of(plan)}", caption, content]


def shown_before(study: str) -> dict[tuple[str, bool], str]:
    """Return what the page of a study shows, by the title of the product and whether it is a figure."""
    sections = published_sections(ROOT, study)[1:]
    return {(each.partition("\n")[0][4:], "\n![" in each): each for each in sections}


if __name__ == "__main__":
    main()
