"""Draw figures of a study anew from its published tables, as after a change of style.

    .venv/bin/python docs/redraw.py all_methods

Of the study's published figures, those are drawn that need tables alone, all of which are in reference/<study> (long
ones with four decimals, which can be seen where lines are thin). Methods without published scores are left out.
"""

import argparse
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure as Picture
from publish import ROOT, STUDY, compress, shipped_plan

from nbmf.fits import import_function
from nbmf.plotting import style
from nbmf_studies import all_studies
from nbmf_studies.framework.declaration import Figure, Product
from nbmf_studies.framework.needs import TableOf
from nbmf_studies.framework.plan import Plan


def main() -> None:
    """Write docs/figures/<study>_<name>.png."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=sorted(all_studies()))
    key = parser.parse_args().study
    plan = shipped_plan(key)
    for figure in all_studies()[key].figures_of(plan):
        picture = picture_of(key, figure.name)
        tables = read_needs(figure, plan, ROOT / "reference" / key) if picture.exists() else None
        if tables is not None:
            save(key, figure, drawn(figure, plan, tables))
            print(picture.name)


def picture_of(key: str, name: str) -> Path:
    """Return the path of a published figure; those of the main study have no prefix."""
    return ROOT / "docs/figures" / (f"{name}.png" if key == STUDY else f"{key}_{name}.png")


def save(key: str, figure: Figure, drawing: Picture) -> None:
    """Write a figure where it is published."""
    picture = picture_of(key, figure.name)
    style.save(drawing, picture, dpi=figure.dpi)
    compress(picture, picture)


def read_needs(product: Product, plan: Plan, folder: Path) -> dict[str, pd.DataFrame] | None:
    """Return the tables that a product needs, by role, or None if it needs something else, or the folder lacks one."""
    needs = product.needs(plan)
    if not all(isinstance(need, TableOf) for need in needs.values()):
        return None
    paths = {role: folder / f"{need.name}.csv" for role, need in needs.items()}
    return {role: read(path) for role, path in paths.items()} if all(map(Path.is_file, paths.values())) else None


def read(path: Path) -> pd.DataFrame:
    """Return a table whose columns have the names that the workflow gives them: on pages they have spaces."""
    return pd.read_csv(path).rename(columns=lambda name: name.replace(" ", "_"))


def drawn(figure: Figure, plan: Plan, tables: dict[str, pd.DataFrame]) -> Picture:
    """Draw a figure from its tables."""
    arguments = figure.arguments(plan)
    if "scores" in tables and "methods" in arguments:
        there = set(tables["scores"]["method"])
        arguments["methods"] = {name: label for name, label in arguments["methods"].items() if name in there}
    return style.in_style(import_function(figure.make))(**tables, **arguments)


if __name__ == "__main__":
    style.use_no_screen()
    main()
