"""Publish a complete run: its figures, tables and times in docs/, its scores in reference/.

    make paper publish

What lies between the marks of docs/lumbreras2020.md, docs/figures/*.png and long tables
(reference/lumbreras2020) are made by this script alone, from the files of a run.
"""

import argparse
import json
import platform
import re
import shutil
from importlib import metadata
from pathlib import Path

import pandas as pd
import yaml
from PIL import Image
from snakemake.utils import update_config

from nbmf_studies import all_studies
from nbmf_studies.framework.plan import Plan
from nbmf_studies.framework.verdicts import judge
from nbmf_studies.lumbreras2020.claims import CLAIMS, Results, has_all_datasets
from nbmf_studies.pipeline import configuration
from nbmf_studies.pipeline.verification import compare_runs, summarise_comparison

ROOT = Path(__file__).resolve().parents[1]
STUDY = "lumbreras2020"
LONG = 36  # rows of a table from which on it is a file next to the scores, and a link on the page
SOURCES = "sources.txt"  # of joined results: which fits are of which run (docs/join_published.py)
MARKS = "<!-- results of {}: written by a script -->", "<!-- end of results -->"
# The folder of a benchmark file says which rule left it; files beside these folders are rules' own.
RULE_OF = {
    "download": "download",
    "datasets": "dataset",
    "masks": "mask",
    "fits": "fit",
    "figures": "figures",
    "tables": "tables",
}
UNMASKED = "fit_keeping_factors"
MIB = 2**20 / 1e6  # megabytes of what a benchmark file counts memory in
FIT = ["dataset", "method", "K", "mask", "seed"]  # the columns that name a masked fit
# How titles begin of sections that compare the run with those of other configurations.
OF_OTHER_RUNS = ("### The start of the chains", "### The claims in both orientations", "### The orientation:")


def main() -> None:
    """Write the results of docs/lumbreras2020.md, docs/figures/ and reference/lumbreras2020/."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=path, default=ROOT / "results")
    parser.add_argument("--mean-field-start", type=path, default=None)
    parser.add_argument("--as-in-the-text", type=path, default=None)
    parser.add_argument("--elapsed", type=float, help="seconds that `make paper` took")
    parser.add_argument("--cores", type=int, default=2, help="that it had")
    options = parser.parse_args()
    results = options.results / STUDY
    figures = figures_of(results)
    for name in figures:
        compress(results / f"figures/{name}.png", ROOT / f"docs/figures/{name}.png")
    reference = ROOT / "reference" / STUDY
    reference.mkdir(parents=True, exist_ok=True)
    is_same = same_scores(reference / "scores.csv", results / "tables/scores.csv")
    for name in ("scores", "unmasked_scores"):
        shutil.copy(results / f"tables/{name}.csv", reference / f"{name}.csv")
    tables = {file.stem: pd.read_csv(file) for file in (results / "tables").glob("*.csv")}
    sections = [
        "## Results of the published run",
        "Made by `docs/publish.py` from results/lumbreras2020/.",
        f"{versions(options.results)}",
        *sections_of_claims(tables),
        *sections_of_readings(tables),
    ]
    for name, title in figures.items():
        sections += [f"### {title}", f"![{title}](figures/{name}.png)"]
    sections += sections_of_tables(tables)
    sections += sections_of_other_runs(Results(tables["scores"], tables["traces"]), options)
    sections += sections_that_stay(sections, is_same)
    sections += ["### Time and memory", *time_and_memory(options, results)]
    write_into_page(STUDY, sections)


def figures_of(results: Path) -> dict[str, str]:
    """Return the titles of the figures that the study declares and the run has drawn, by name."""
    plan = shipped_plan(STUDY)
    return {
        figure.name: figure.title_of(plan)
        for figure in all_studies()[STUDY].figures_of(plan)
        if (results / f"figures/{figure.name}.png").exists()
    }


def shipped_plan(study: str, *, has_all_data: bool = False) -> Plan:
    """Return the plan of a study with the configuration as it is shipped; if asked, as if no raw file were missing."""
    files = [
        *(ROOT / f"config/{name}.yaml" for name in ("config", "datasets", "sources")),
        ROOT / "src/nbmf/methods.yaml",
        *(ROOT / "config/studies").glob("*.yaml"),
    ]
    config = {}
    for file in files:
        update_config(config, yaml.safe_load(file.read_text(encoding="utf-8")))
    config = configuration.check(config, ROOT / "workflow/schemas/config.schema.yaml")
    return Plan(study, config) if has_all_data else configuration.plans(config)[study]


def sections_of_claims(tables: dict[str, pd.DataFrame]) -> list[str]:
    """Return the section with the verdicts on the paper's claims."""
    parts = write_table(tables["claims_parts"], STUDY, "claims_parts")
    return ["### The paper's claims", markdown(tables["claims"]), f"Their parts: {parts}"]


def sections_of_readings(tables: dict[str, pd.DataFrame]) -> list[str]:
    """Return the section with the verdicts under other readings, if they were made; values of every mask are kept."""
    if "verdicts" not in tables:
        return []
    folder = ROOT / "reference" / STUDY
    for name in ("eta", "one_side", "long_chains", "eta_losses"):
        tables[name].to_csv(folder / f"{name}.csv", index=False)
    return [
        "### The claims under other readings",
        markdown(tables["verdicts"].drop(columns="other readings")),
        markdown(tables["readings"]),
        f"Their parts: {write_table(tables['readings_parts'], STUDY, 'readings_parts')}",
        "#### Ranges of logPCA: printed in captions, and ours",
        markdown(tables["ranges"][tables["ranges"]["same"]].round(4)),
        f"For every K: {write_table(tables['ranges'].round(4), STUDY, 'ranges')}",
    ]


def sections_of_tables(tables: dict[str, pd.DataFrame]) -> list[str]:
    """Return the sections that are made from the other tables of the study, by their names."""
    return [
        "### The paper's numbers and ours (parliament)",
        markdown(tables["paper_numbers"].round(2)),
        "### Held-out log loss",
        "Median over ten masks, interquartile range in brackets, nats per entry (LDA: per token). "
        "The paper calls it perplexity.",
        markdown(perplexities(tables["summary"])),
        "### Active components, seconds and flags",
        markdown(facts(tables["summary"])),
        "### Fits to whole matrices",
        render_table(tables["unmasked_summary"].round(1), STUDY, "unmasked_summary"),
        "### Have the chains converged?",
        "R-hat and effective sample size of the log joint over the kept sweeps.",
        markdown(tables["diagnostics"].round(3)),
    ]


def sections_of_other_runs(run: Results, options: argparse.Namespace) -> list[str]:
    """Return the sections that compare a run with those of other configurations."""
    sections = []
    if options.mean_field_start:
        other = pd.read_csv(options.mean_field_start / STUDY / "tables/scores.csv")
        sections += ["### The start of the chains: random, or as in the paper's scripts"]
        sections += [markdown(compare_starts(run.scores, other))]
    if options.as_in_the_text:
        folder = options.as_in_the_text / STUDY / "tables"
        other = Results(*(pd.read_csv(folder / f"{name}.csv") for name in Results._fields))
        sections += sections_of_orientations(run, other)
    return sections


def sections_of_orientations(run: Results, other: Results) -> list[str]:
    """Return the sections on a run and on one with some datasets in the text's orientation."""
    turned = " and ".join(other.datasets)
    return [
        *sections_of_both(turned, *compare_verdicts(run, replace_datasets(run, other))),
        f"### The orientation: {turned} as in the scripts and as in the text",
        "Medians over masks, nats per entry (LDA: per token). The masks have the same random "
        "numbers, but not the same entries.",
        markdown(side_by_side(compare_orientations(run.scores, other.scores))),
    ]


def sections_of_both(turned: str, verdicts: pd.DataFrame, differing: pd.DataFrame) -> list[str]:
    """Return the section with the verdicts in both orientations of some datasets, and the parts that differ."""
    return [
        "### The claims in both orientations",
        f"Scripts: {turned} as the authors' scripts read them, as everywhere else on this page. "
        "Text: with their rows and columns exchanged; everything else is the same. When the first was "
        "chosen, both results were known.",
        markdown(verdicts),
        "The parts that hold in one orientation only:",
        markdown(differing) if len(differing) else "None.",
    ]


def same_scores(published: Path, made: Path) -> bool:
    """Return whether a run has the scores of the published one, but for rounding, as `make verify` judges it."""
    if not published.exists():
        return False
    old, new = ({"scores": pd.read_csv(file)} for file in (published, made))
    return summarise_comparison(compare_runs(new, old))["result"].isin(["identical", "rounding"]).all()


def sections_that_stay(sections: list[str], is_same: bool, root: Path = ROOT) -> list[str]:
    """Return the published comparisons with other runs that are not at hand now, if they are of these scores."""
    old = [
        part
        for part in published_sections(root)
        if part.startswith(OF_OTHER_RUNS) and part.splitlines()[0] not in sections
    ]
    for part in old:
        print(f"{'as published' if is_same else 'left out, for scores have changed'}: {part.splitlines()[0]}")
    return old if is_same else []


def published_sections(root: Path = ROOT, study: str = STUDY) -> list[str]:
    """Return what the page of a study shows between its marks, divided before each title."""
    begin = MARKS[0].format(study)
    pages = (page.read_text(encoding="utf-8") for page in (root / "docs").glob("*.md"))
    block = next((text for text in pages if begin in text), "").partition(begin)[2].partition(MARKS[1])[0]
    return [part.strip() for part in re.split(r"^(?=### )", block, flags=re.MULTILINE)]


def path(text: str) -> Path:
    """Return a path given on the command line."""
    return Path(text).resolve()


def compress(source: Path, target: Path) -> None:
    """Write a PNG without its transparency, as small as it gets with every colour as it was drawn."""
    with Image.open(source) as image:
        image.convert("RGB").save(target, optimize=True)


def write_into_page(study: str, sections: list[str], root: Path = ROOT) -> None:
    """Put sections between the marks of a study, on the page that has them.

    Where no page has them they go to the end of docs/<study>.md, which is made if need be.
    """
    begin, end = MARKS[0].format(study), MARKS[1]
    texts = {page: page.read_text(encoding="utf-8") for page in (root / "docs").glob("*.md")}
    page = next((page for page in texts if begin in texts[page]), root / f"docs/{study}.md")
    text = texts.get(page, f"# {study}\n")
    if begin not in text:
        text += f"\n{begin}\n\n{end}\n"
    before, after = re.fullmatch(f"(.*{begin}).*?({end}.*)", text, re.DOTALL).groups()
    page.write_text("\n\n".join([before, *sections, after]), encoding="utf-8")


def render_table(table: pd.DataFrame, study: str, name: str, root: Path = ROOT) -> str:
    """Return a table in Markdown; of a long one a link to the file that it is written to."""
    return markdown(table) if len(table) < LONG else write_table(table, study, name, root)


def write_table(table: pd.DataFrame, study: str, name: str, root: Path = ROOT) -> str:
    """Write a table to a file next to the scores, and return the link to it."""
    path = root / f"reference/{study}/{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = table.astype(object).where(table.notna(), "")
    cells.map(_text).to_csv(path, index=False, header=[_title(name) for name in cells.columns])
    return link(len(table), study, name)


def link(rows: int, study: str, name: str) -> str:
    """Return the link to a table that is a file next to the scores."""
    return f"[{name}.csv](../reference/{study}/{name}.csv), {rows} rows."


def markdown(table: pd.DataFrame) -> str:
    """Return a table in Markdown."""
    cells = table.astype(object).where(table.notna(), "")
    titles = [_title(name) for name in cells.columns]
    lines = [titles, ["---"] * len(titles), *cells.itertuples(index=False)]
    text = "\n".join("| " + " | ".join(_text(cell) for cell in line) + " |" for line in lines)
    return text.replace("D(V|V^)", "D(V\\|V^)")


def _title(name) -> str:
    return str(name).replace("_", " ")  # which breaks where a title wraps


def _text(cell) -> str:
    return f"{cell:g}" if isinstance(cell, float) and abs(cell) < 1e5 else str(cell)


def perplexities(summary: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and K, a column per dataset."""
    ranges = summary["upper_quartile"] - summary["lower_quartile"]
    text = [f"{m:.4f} ({r:.4f})" for m, r in zip(summary["median"], ranges, strict=True)]
    return _wide(summary.assign(text=text), "text")


def facts(summary: pd.DataFrame) -> pd.DataFrame:
    """Return active components, median seconds and flags, a column per dataset."""
    text = [
        f"{row.active_components:g} active, {row.seconds:.1f} s"
        + f", {row.saturated} saturated" * bool(row.saturated)
        + f", {row.not_converged} not converged" * bool(row.not_converged)
        for row in summary.itertuples()
    ]
    return _wide(summary.assign(text=text), "text")


def _wide(table: pd.DataFrame, values: str) -> pd.DataFrame:
    order = table[["method", "K"]].drop_duplicates()
    wide = table.pivot(index=["method", "K"], columns="dataset", values=values)
    return wide.reindex(pd.MultiIndex.from_frame(order)).reset_index()


def compare_starts(scores: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return medians over the same masks for both starts of the chains."""
    other = other.assign(method=other["method"].str.removesuffix("-mean-field"))
    both = scores.merge(other, on=["dataset", "method", "K", "mask", "seed"], suffixes=("", "_mf"))
    both = both.assign(difference=both["perplexity_mf"] - both["perplexity"])
    groups = both.groupby(["method", "dataset"], sort=False)
    return pd.DataFrame(
        {
            "random start": groups["perplexity"].median().round(4),
            "mean-field start": groups["perplexity_mf"].median().round(4),
            "median of paired differences": groups["difference"].median().round(4) + 0.0,  # no -0
            "masks where mean-field is better": groups["difference"].agg(lambda d: (d < 0).sum()),
            "masks": groups.size(),
            "active, random": groups["active_components"].median(),
            "active, mean-field": groups["active_components_mf"].median(),
        }
    ).reset_index()


def replace_datasets(run: Results, other: Results) -> Results:
    """Return a run with the datasets of another in the place of its own.

    Raises
    ------
    SystemExit
        If a fit of either has no partner: verdicts of a part would be those of another protocol.
    """
    turned = set(other.scores["dataset"])
    own = run.scores[run.scores["dataset"].isin(turned)]
    lonely = set(own[FIT].itertuples(index=False, name=None)) ^ set(
        other.scores[FIT].itertuples(index=False, name=None)
    )
    if lonely:
        raise SystemExit(
            f"the run as in the text is not that of the same fits: {len(lonely)} of either have no "
            f"partner, among them {min(lonely)}"
        )
    return Results(
        *(
            pd.concat([ours[~ours["dataset"].isin(turned)], theirs], ignore_index=True)
            for ours, theirs in zip(run, other, strict=True)
        )
    )


def compare_verdicts(scripts: Results, text: Results) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the verdicts in both orientations, and the parts on which they differ, or which one alone has."""
    return compare_judged(*(judge(CLAIMS, run, has_all_datasets) for run in (scripts, text)))


def compare_judged(
    scripts: tuple[pd.DataFrame, pd.DataFrame], text: tuple[pd.DataFrame, pd.DataFrame]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return what `compare_verdicts` does from verdicts and parts in each orientation."""
    sides = (": scripts", ": text")
    verdicts = scripts[0].merge(text[0], on=["number", "claim", "rule"], suffixes=sides)
    parts = scripts[1].merge(text[1], on=["number", "where", "whose"], suffixes=sides, how="outer")
    differing = parts[parts["holds: scripts"] != parts["holds: text"]]
    return verdicts.drop(columns=["rule", "claim"]), differing.drop(columns="whose")


def compare_orientations(scores: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return medians over masks for both orientations of the datasets that both have."""
    key = ["dataset", "method", "K"]
    medians = pd.DataFrame(
        {
            "scripts": scores.groupby(key, sort=False)["perplexity"].median(),
            "text": other.groupby(key, sort=False)["perplexity"].median(),
        }
    ).dropna()
    return medians.round(4).reset_index()


def side_by_side(medians: pd.DataFrame) -> pd.DataFrame:
    """Return what `compare_orientations` does with a row per method and K."""
    key = ["method", "K"]
    wide = medians.pivot(index=key, columns="dataset", values=["scripts", "text"])
    wide = wide.reindex(pd.MultiIndex.from_frame(medians[key].drop_duplicates()))
    wide.columns = [f"{dataset}, {side}" for side, dataset in wide.columns]
    return wide[sorted(wide.columns)].reset_index()


def time_and_memory(options: argparse.Namespace, results: Path) -> list[str]:
    """Return what the jobs of a run took, and where the time of the whole run went."""
    measured = options.results / "benchmarks"
    table = jobs(results / "benchmarks", measured, options.results.parent / "data/benchmarks")
    if table.empty:
        return ["No benchmark file was left by this run."]
    fits = fits_and_their_jobs(options.results / "fits", measured / "fits")
    if not options.elapsed:
        return [markdown(table)]
    unsaid = "Where the time of the whole run went is not said: "
    if not fits["in_one"].all():
        broken = (~fits["in_one"]).sum()
        text = f"{unsaid}{broken} of {len(fits)} fits were not made in one job of this run."
    elif table["seconds in all"].sum() > options.cores * options.elapsed:
        text = f"{unsaid}its jobs took longer than it, so some are of earlier runs."
    else:
        text = whole_run(fits["fit"].sum(), table, options.elapsed, options.cores)
    return [text, markdown(table)]


def fits_and_their_jobs(fits: Path, measured: Path) -> pd.DataFrame:
    """Return the seconds of each fit, and whether one job of known time made the whole of it.

    A fit that went on from a checkpoint took longer than its last job, which is all that the
    benchmark file has; a fit of an earlier run may have none.
    """
    rows = []
    for report in sorted(fits.rglob("*.json")):
        seconds = json.loads(report.read_text(encoding="utf-8"))["seconds"]
        file = measured / report.relative_to(fits).with_suffix(".tsv")
        job = pd.read_csv(file, sep="\t")["s"].iloc[-1] if file.exists() else float("nan")
        rows.append([seconds, bool(job >= seconds)])
    return pd.DataFrame(rows, columns=["fit", "in_one"]).astype({"in_one": bool})


def jobs(*folders: Path) -> pd.DataFrame:
    """Return jobs, seconds in all, the longest, and peak memory per rule, of benchmark files.

    Memory is looked at twice a second, after fifteen seconds twice a minute.
    """
    rows = []
    for folder in folders:
        files = [*folder.glob("*.tsv"), *(f for kind in RULE_OF for f in folder.glob(f"{kind}/**/*.tsv"))]
        for file in files:
            last = pd.read_csv(file, sep="\t").iloc[-1]
            kind = RULE_OF.get(file.relative_to(folder).parts[0], file.stem)
            rule = UNMASKED if "-masknone-" in file.name else kind
            rows.append([rule, last["s"], last["max_rss"] * MIB])
    table = pd.DataFrame(rows, columns=["rule", "seconds", "MB"]).groupby("rule")
    return pd.DataFrame(
        {
            "jobs": table.size(),
            "seconds in all": table["seconds"].sum().round(1),
            "longest job, s": table["seconds"].max().round(1),
            "peak memory, MB": table["MB"].max().round().astype("Int64"),
        }
    ).reset_index()


def whole_run(fitting: float, table: pd.DataFrame, elapsed: float, cores: int) -> str:
    """Return where the time of a run went.

    Parameters
    ----------
    fitting : float
        Seconds of all fits themselves, as their reports say.
    table : DataFrame
        As `jobs` makes it.
    elapsed : float
        Seconds of the whole run.
    cores : int
        How many it had.
    """
    seconds = table.set_index("rule")["seconds in all"]
    jobs_of_fits = seconds.reindex(["fit", UNMASKED]).sum()
    others = seconds.sum() - jobs_of_fits
    rest = cores * elapsed - seconds.sum()

    def share(part: float) -> str:
        return f"{part:.0f} ({100 * part / fitting:.1f} %)"

    return (
        f"`make paper` in a fresh clone took {elapsed / 60:.1f} minutes on {cores} cores, that is "
        f"{cores * elapsed:.0f} core-seconds. Fits took {fitting:.0f} of them. In per cent of "
        f"that: {share(jobs_of_fits - fitting)} for their jobs to import libraries, load compiled "
        f"code, read and write; {share(others)} for the other jobs, from compiling the kernels to "
        f"figures; {share(rest)} for what no job accounts for: Snakemake, and a core without work."
    )


def versions(results: Path) -> str:
    """Return the versions a fit was made with, and the processor this script sees.

    A study that fits nothing by the rule of fits leaves none: then those of this environment.
    """
    fit = next((results / "fits").rglob("*.json"), None)
    if fit is not None:
        found = json.loads(fit.read_text(encoding="utf-8"))["versions"]
    else:
        found = {"python": platform.python_version()}
        found |= {name: metadata.version(name) for name in ("numpy", "scipy", "numba")}
    text = ", ".join(f"{name} {version}" for name, version in found.items())
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"Versions: {text}. Processor: {model[1] if model else platform.processor()}."


if __name__ == "__main__":
    main()
