"""What the report of a run opens with: figure and table of each study, and what is missing. And its captions."""

import base64
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbmf.errors import ConfigError
from nbmf_studies.framework.declaration import Figure, Product, Study, Table
from nbmf_studies.pipeline.targets import StudyRun

OF_TABLE = ".. csv-table::"  # in the caption of a table


def report_arguments(config: Mapping[str, Any], runs: Mapping[str, StudyRun], folder: str | Path) -> dict[str, Any]:
    """Return what pages of the report take from the configuration, and say what is missing.

    Parameters
    ----------
    config : mapping
        The checked configuration, which captions quote.
    runs : mapping
        From study to StudyRun.
    folder : path
        The folder that captions lie below.

    Returns
    -------
    dict
        `front_pages`, a list of what `study_summary` returns for each study that is run by default; `captions`, from
        the file of a figure (PNG) or table to its caption.
    """
    fronts = [study_summary(runs[study]) for study in config["run"]["studies"]]
    for front in fronts:
        if front["missing"]:
            print(f"{front['key']}: not here yet: {'; '.join(front['missing'])}", file=sys.stderr)
    return {"front_pages": fronts, "captions": _captions(config, runs.values(), Path(folder))}


def _captions(config: Mapping[str, Any], runs: Iterable[StudyRun], folder: Path) -> dict[str, str]:
    """Return the caption of each figure and table by its file: a rule of Snakemake has but one file of captions.

    Captions see the configuration, the roles of the inputs and the file.
    """
    from jinja2 import Environment  # when no report is made, nothing else here needs it

    environment, captions = Environment(trim_blocks=True, lstrip_blocks=True), {}
    for run in runs:
        for product, path in run.in_report():
            text = (folder / product.caption).read_text(encoding="utf-8")
            if isinstance(product, Figure) and OF_TABLE in text:  # a picture is no text that could be shown as a table
                shown = f"its caption {product.caption} shows a table ({OF_TABLE})"
                raise ConfigError(f"study {run.study.key}: {product.name!r} is a figure, but {shown}; name another one")
            caption = environment.from_string(text)
            roles = list(product.needs(run.plan))
            captions[path] = caption.render(snakemake={"config": config, "input": roles, "output": [path]})
    return captions


def study_summary(run: StudyRun) -> dict[str, Any]:
    """Return what `workflow/report/workflow.rst` shows of a study.

    Returns
    -------
    dict
        `key` and `title`; `figure`, with its `title`, its `uri` (the picture itself, so that the
        report is one file) and whether it has `gaps` for fits that failed, or None if it is not
        there; `table`, with its `title` and `path`, or None; `missing`, the titles of all that the
        report would have and that is not there; `left_out`, what this run does not make and why, in
        lines; and `methods`, which the study fits.
    """
    shown = [(product, path) for product, path in run.in_report() if not product.on_request]
    figures = [product for product, _ in shown if isinstance(product, Figure)]
    tables = [product for product, _ in shown if isinstance(product, Table)]
    return {
        "key": run.study.key,
        "title": run.study.title,
        "figure": _figure(_front_product(run.study, figures), run),
        "table": _table(_front_product(run.study, tables), run),
        "missing": [product.title_of(run.plan) for product, path in shown if not os.path.isfile(path)],
        "left_out": run.targets.skipped,
        "methods": run.plan.methods,
    }


def _front_product(study: Study, products: Iterable[Product]) -> Product | None:
    """Return the product that the study names first for the front page, or the first one."""
    named = {product.name: product for product in products}
    wanted = [named[name] for name in study.front if name in named]
    return next(iter([*wanted, *named.values()]), None)


def _figure(figure: Figure | None, run: StudyRun) -> dict[str, Any] | None:
    if figure is None:
        return None
    whole = run.paths.figure(figure.name, "png")
    for path, gaps in ((whole, False), (f"{run.paths.partial}/{figure.name}.png", True)):
        if os.path.isfile(path):
            # In many lines: docutils refuses long ones, and takes those of an address together.
            picture = base64.encodebytes(Path(path).read_bytes()).decode("ascii")
            uri = f"data:image/png;base64,{picture.strip()}"
            return {"title": figure.title_of(run.plan), "uri": uri, "gaps": gaps}
    return None


def _table(table: Table | None, run: StudyRun) -> dict[str, str] | None:
    path = run.paths.table(table.name) if table else ""
    return {"title": table.title_of(run.plan), "path": path} if table and os.path.isfile(path) else None
