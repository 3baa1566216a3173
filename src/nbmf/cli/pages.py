"""report.html of a fit and of a comparison: what was found, in one file that can be mailed."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from nbmf.cli import html
from nbmf.cli.arguments import printed_command
from nbmf.cli.described import describe, describe_effects, key_of
from nbmf.cli.summary import DESCRIBED, GROUPS, facts, lines_by_group, quality
from nbmf.evaluation.verdict import Verdict

if TYPE_CHECKING:
    from nbmf.cli.fit import Result
    from nbmf.evaluation.result import Comparison

REPORT = "report.html"


def of_fit(result: "Result", options: argparse.Namespace, pictures: dict[str, Path]) -> str:
    """Return the page of a fit.

    Parameters
    ----------
    result : Result
    options : Namespace
        Of the command line.
    pictures : dict
        From what a picture shows, its caption, to its file; empty where nothing was found.
    """
    name, matrix, fitted = result.name, result.matrix, result.fitted
    components, found = result.components, result.verdict
    parts = [_verdict(found)]
    parts.append(html.section("The fit", html.paragraphs([*facts(result), *quality(result)])))
    if pictures:
        from nbmf.plotting import style

        parts.append(html.section("Pictures", *map(html.picture, pictures.values(), pictures)))
        parts.append(_groups(result))
        described = [html.component(each) for each in describe_effects(matrix, fitted)]
        described += [
            html.component(describe(number, matrix, fitted, components), style.colour_of_component(number))
            for number in range(min(components.active, DESCRIBED))
        ]
        parts.append(html.section("Components", html.paragraphs([key_of(fitted.model)]), *described))
    params = fitted.model.get_params()  # of which the command has the seed
    settings = ", ".join(f"{k} = {v}" for k, v in params.items() if k != "random_state")
    about = f"{printed_command(options)}\nmethod = {result.method}, {settings}"
    return html.page(f"{name}: what is in it", parts, about)


def of_comparison(
    found: "Comparison", table: str, laws: list[str], options: argparse.Namespace, pictures: dict[str, Path]
) -> str:
    """Return the page of a comparison; `table` and `laws` are as on a terminal, others as there."""
    advice = [found.recommendation.sentence, *found.remarks()]
    parts = [
        html.section("Which method to take", html.paragraphs(advice)),
        html.section("Held-out perplexity", *map(html.picture, pictures.values(), pictures)),
        html.section(
            "Scores",
            html.paragraphs([f"Over {options.masks} masks; nats per entry, smaller is better.", *laws]),
            html.preformatted(table),
        ),
    ]
    settings = "; ".join(
        f"{entry['label']}: " + ", ".join(f"{k} = {v}" for k, v in entry["settings"].items())
        for entry in found.methods.values()
    )
    return html.page(f"{found.name}: which method", parts, f"{printed_command(options)}\n{settings}")


def _verdict(found: Verdict | None) -> str:
    if found is None:
        return ""
    gains = html.table(
        ["predicted by", f"nats per {found.unit}", "this method is better by"],
        [
            [f"this method: {found.method}", f"{found.loss:.4f}", ""],
            *([each.what, f"{each.loss:.4f}", f"{each.mean:.4f} ± {each.error:.4f}"] for each in found.compared),
        ],
    )
    held_out = f"{found.entries} of {found.observed} observed entries were held out in turn."
    return html.verdict_box(str(found), found.found) + gains + html.paragraphs([held_out])


def _groups(result: "Result") -> str:
    from nbmf.plotting import style

    parts = []
    for words, groups, counts in lines_by_group(result):
        colours = style.colours_of_groups(groups)
        head = ["", *(html.swatch(style.colour_of_component(k - 1), str(k)) for k in counts)]
        rows = [
            [html.swatch(colours[group], group), *map(str, line)]
            for group, line in zip(counts.index, counts.to_numpy(), strict=True)
        ]
        parts += [html.paragraphs([words]), html.table(head, rows[:GROUPS])]
    return html.section("Groups", *parts)
