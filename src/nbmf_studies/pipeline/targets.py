"""The targets of a run: the figures and tables that its studies make, and what the job of each takes.

Each becomes a request, the text that decides all of a job besides its input files, and the files it needs;
`nbmf_studies.pipeline.run_target` is what the job does with them.
"""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from nbmf.fit_key import FitKey
from nbmf_studies import all_studies
from nbmf_studies.framework.declaration import Figure, Product, Study, Table
from nbmf_studies.framework.needs import TableOf
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import configuration, run_target
from nbmf_studies.pipeline.paths import SCORE_TABLES, Paths


class Targets(NamedTuple):
    """What a study makes in a run, and what it leaves out, each with the reason and advice."""

    figures: list[Figure]
    tables: list[Table]
    skipped: list[str]


def targets_of(study: Study, plan: Plan) -> Targets:
    """Return the figures and tables of a study that apply and whose data are at hand."""
    skipped = [
        f"{study.key}: {dataset} is left out: {line}"
        for dataset in plan.left_out
        for line in plan.missing_sources[dataset]
    ]
    skipped += [
        f"{study.key}: {method} is left out: its package {package} is not installed"
        for method, package in plan.without_package.items()
    ]
    if plan.left_out_of("datasets") and not plan.datasets:  # nothing to compare on
        return Targets([], [], skipped)
    targets = Targets([], [], skipped)
    without: set[str] = set()
    for table in study.tables_of(plan):
        lines = _missing(table, plan, without)
        if lines:
            without.add(table.name)
        else:
            targets.tables.append(table)
        skipped += [f"{study.key}: table {table.name} is left out: {line}" for line in lines]
    for figure in study.figures_of(plan):
        lines = _missing(figure, plan, without)
        if not lines:
            targets.figures.append(figure)
        skipped += [f"{study.key}: {figure.name} is left out: {line}" for line in lines]
    return targets


class StudyRun(NamedTuple):
    """A study in a run: what it declares, what it is asked to do, what it makes, and where that lies."""

    study: Study
    plan: Plan
    targets: Targets
    paths: Paths

    def figure(self, name: str) -> Figure:
        """Return a figure that is made, by its name."""
        return next(figure for figure in self.targets.figures if figure.name == name)

    def table(self, name: str) -> Table:
        """Return a table that is made, by its name."""
        return next(table for table in self.targets.tables if table.name == name)

    def by_name(self) -> dict[str, Product]:
        """Return the figures and tables that a person can ask for, by the names of their targets."""
        tables = {f"{self.study.key}_table_{table.name}": table for table in self.targets.tables}
        return tables | {f"{self.study.key}_{figure.name}": figure for figure in self.targets.figures}

    def files_of(self, product: Product) -> list[str]:
        """Return the files of a figure or table."""
        if isinstance(product, Table):
            return [self.paths.table(product.name)]
        return [self.paths.figure(product.name, suffix) for suffix in ("pdf", "png")]

    def in_report(self) -> list[tuple[Product, str]]:
        """Return the figures and tables that the report shows, each with its file: of a figure the PNG."""
        tables = [table for table in self.targets.tables if table.in_report]
        return [(product, self.files_of(product)[-1]) for product in (*self.targets.figures, *tables)]

    def unasked(self) -> list[Product]:
        """Return the figures and tables that the study shows unasked."""
        return [product for product in self.by_name().values() if not product.on_request]

    def on_request(self) -> dict[str, list[Product]]:
        """Return the others, by the names of the targets that make them together."""
        together: dict[str, list[Product]] = {}
        for product in self.by_name().values():
            if product.on_request:
                together.setdefault(f"{self.study.key}_{product.on_request}", []).append(product)
        return together

    def fits(self) -> list[FitKey]:
        """Return every fit of the study."""
        return self.study.fits_of(self.plan)

    def fits_on_request(self) -> list[FitKey]:
        """Return the fits that are made only if their product is asked for: readings, and matrices of `holdout`."""
        usual = set(self.fits())
        further = [case.key for case in self.study.cases_of(self.plan)] + self.plan.fits_to_masks(self.plan.holdout)
        return [key for key in dict.fromkeys(further) if key not in usual]

    def reports_shown(self) -> list[str]:
        """Return the reports of the fits behind what the study shows unasked.

        Asked for by name, as Snakemake makes nothing anew that only finished tables were made from.
        """
        own = {self.paths.report(key) for key in self.fits()}
        by_role = [files(product, self.plan, self.paths) for product in self.unasked()]
        needed = dict.fromkeys(file for roles in by_role for of_role in roles.values() for file in of_role)
        return [file for file in needed if file in own]

    def score_tables(self) -> list[str]:
        """Return the tables of scores, which can be compared with those of another run."""
        return [self.paths.table(table.name) for table in self.targets.tables if table.name in SCORE_TABLES]


def study_runs(config: dict[str, Any]) -> dict[str, StudyRun]:
    """Return every study of a checked configuration, by its key."""
    studies = all_studies()
    return {
        key: StudyRun(
            studies[key], plan, targets_of(studies[key], plan), Paths(config["results"], config["matrices"], key)
        )
        for key, plan in configuration.plans(config).items()
    }


def pattern(kind: str, runs: Mapping[str, StudyRun], keep: Callable[[Any], bool]) -> str:
    """Return the expression of a name in a path "<study>/<kind>/<name>": one that the study makes and that is kept.

    Snakemake checks wildcards one by one, so what stands before the name says whose names are allowed.

    Parameters
    ----------
    kind : str
        "figures" or "tables".
    runs : mapping
        From study to StudyRun.
    keep : function of a figure or table
        Returns whether its name is among them.
    """
    choices = []
    for study, run in runs.items():
        names = [re.escape(product.name) for product in getattr(run.targets, kind) if keep(product)]
        if names:
            choices.append(f"(?<=/{re.escape(study)}/{kind}/)(?:{'|'.join(names)})")
    return "|".join(choices) or "(?!)"


def _missing(product: Product, plan: Plan, without: Collection[str]) -> list[str]:
    """Return why a product cannot be made: data that are not at hand, or tables left out."""
    lines = []
    for need in product.needs(plan).values():
        for dataset in need.datasets():
            lines += plan.missing_sources.get(dataset, [])
        if isinstance(need, TableOf) and need.name in without:
            lines.append(f"so is the table {need.name}")
    return lines


def request(product: Product, plan: Plan) -> str:
    """Return what a job is asked for, as text, see `run_target`."""
    return run_target.request(product.make, product.needs(plan), product.arguments(plan))


def files(product: Product, plan: Plan, paths: Paths) -> dict[str, list[str]]:
    """Return the input files of a job, by the roles that its function gives them."""
    return {role: need.files(paths) for role, need in product.needs(plan).items()}


def modules(product: Product, plan: Plan) -> list[str]:
    """Return the modules whose edition makes the job run again."""
    loading = {module for need in product.needs(plan).values() for module in need.modules}
    return [product.make.partition(":")[0], *sorted(loading)]


def label(product: Figure | Table, plan: Plan) -> str:
    """Return the title as the report sorts it: two spaces, seen as one, put Figure 2 before 10."""
    title = product.title_of(plan)
    words = title.split(" ", 2)
    if len(words) == 3 and words[0] == "Figure" and len(words[1].rstrip(":")) == 1:
        return f"{words[0]}  {words[1]} {words[2]}"
    return title
