"""Numbers in the prose of pages are those of the published tables: a page that is edited, or a table, may not drift."""

import functools
import re

import pandas as pd
import pytest
from checkout import ROOT

from nbmf.catalogue import METHODS
from nbmf.inference.declarations import Inference
from nbmf.registry import estimator_class


def published(name):
    return pd.read_csv(ROOT / f"reference/{name}.csv")


BY_STACKING = "digits", "banking_crises", "macaque_cortex", "esvotes"


def excess_of_fit(*matrices):
    """Return by how many per cent the losses of nbmf fit are above those of the library's best method."""
    of_fit = published("trials/confirm_losses").query("method == 'nbmf-fit'").set_index("dataset")["excess"]
    return (100 * of_fit[[*matrices]]).tolist()


def excess(test_set, *methods, column="mean excess"):
    """Return the excess losses of methods over the matrices of a list of the trials."""
    return published(f"trials/{test_set}").set_index("method").loc[list(methods), column].tolist()


def losses_under(*etas, datasets=("paleo",)):
    """Return the medians over masks of Dir-Dir GS, by dataset and η."""
    table = published("lumbreras2020/eta").query("side == 'columns'")
    medians = table.groupby(["dataset", "eta"])["perplexity"].median()
    return [medians[dataset, eta] for dataset in datasets for eta in etas]


def range_of(dataset, K):
    table = published("lumbreras2020/ranges").query(f"dataset == {dataset!r} and K == {K}")
    return table[["smallest", "largest"]].iloc[0].tolist()


def errors_of(set_up, *methods):
    table = published("klami2015/last_errors").set_index(["set up", "method"])
    return [table.loc[(set_up, f"klami2015-{method}"), "high error"] for method in methods]


def factors_of(prior, setting):
    """Return the smallest and the largest mean number of factors over the numbers of variables."""
    name = "ohn2022/slab_estimates" if setting else "ohn2022/chains"
    table = published(name)
    if setting:
        means = table.query("setting == @setting and prior == @prior")["mean"]
    else:
        means = table.query("method == @prior").groupby(["p", "replication"])["mean"].mean().groupby("p").mean()
    return [means.min(), means.max()]


def best_median(dataset, *methods):
    """Return the least median over masks of these methods, whatever their K."""
    table = published("lumbreras2020/scores").query("dataset == @dataset and method in @methods")
    return [table.groupby(["method", "K"])["perplexity"].median().min()]


DATASETS = ["animals", "lastfm", "paleo", "parliament", "unvotes"]


def means_of(method, *datasets):
    """Return the mean losses of a method in the study `all_methods`, with its best K."""
    table = published("all_methods/ranking").query("method == @method").set_index("dataset")
    return table["mean"][list(datasets)].tolist()


def learned_priors_of_beta_dir():
    by = [means_of(f"beta-dir-vb{end}", "animals", "paleo", "unvotes") for end in ("", "-learned")]
    return [value for pair in zip(*by, strict=True) for value in pair]


def gains_over_the_papers_prior():
    ratios = published("learned_priors/ratios").query("method == 'beta-dir-vb-learned' and other == 'beta-dir-vb'")
    return [100 * (1 - ratios["ratio"].max()), 100 * (1 - ratios["ratio"].min())]


def position_of_a_country(country, session):
    table = published("votes_as_cast/paths").query("country == @country and session == @session")
    return table[["mean", "lower", "upper"]].iloc[0].tolist()


def losses_of_votes(table, by, column, *names):
    """Return mean losses of the study `votes_as_cast`."""
    return published(f"votes_as_cast/{table}").groupby(by)[column].mean()[list(names)].tolist()


def of_last_session(without, *others):
    """Return mean losses of forecasts of which nothing is known, by the proportion of yes in the last session first."""
    table = published("votes_as_cast/forecasts").query("known == 'none' and session not in @without")
    return table.groupby("method")["yes"].mean()[["yes of last session", *others]].tolist()


def by_line_search(column):
    """Return the means of PG-Direct-F and Böhning on set-up 3 with b inside, as the paper may have had it."""
    table = published("klami2015/line_search").query("`set up` == 'set_up_3_inside' and update == 'line search'")
    return table.query("scale == 0.1").set_index("method").loc[["PG-Direct-F", "Böhning"], column].tolist()


def below_ml_from_images():
    """Return on how many runs fixed priors fill worse than ML-NMF from the images, of how many, and learned ones do."""
    fits = published("cemgil2009/filled_ties").query("order == 100")
    best = fits.loc[fits.groupby(["run", "way"])["objective"].idxmax()].pivot(index="run", columns="way", values="snr")
    below = [(best[way] < best["ml_images"]).sum() for way in ("vb_fixed", "vb_all")]
    return [below[0], len(best), below[1]]


def entropies_of_ecoli():
    """Return mean entropies of test rows, NB's and MMNB's."""
    rows = published("shan2009/uci").query("dataset == 'uci_ecoli' and floor == 'paper' and part == 'test'")
    return rows.groupby("model")["entropy"].mean()[["mnb", "mmnb"]].tolist()


def gain_of_logpca(dataset):
    """Return by what share of the best other median logPCA's best one is below it."""
    other = best_median(dataset, "beta-dir-gs", "beta-dir-vb", "dir-dir-gs", "c-bica", "bica")[0]
    return 1 - best_median(dataset, "logpca")[0] / other


def loss_of_more_components():
    """Return how many times the median of logPCA with two components that with four is, on animals."""
    scores = published("lumbreras2020/scores").query("dataset == 'animals' and method == 'logpca'")
    medians = scores.groupby("K")["perplexity"].median()
    return [medians[4] / medians[2]]


def above_the_bound():
    """Return the medians over matrices of Chib's estimate minus the bound at 1, 5 and 10 sources."""
    table = published("cemgil2009/evidence").set_index(["seed", "order"])
    chib = table.query("kind == 'chib'")["value"].groupby(level=[0, 1]).mean()
    bound = table.query("kind == 'bound'")["value"].groupby(level=[0, 1]).max()
    return (chib - bound).groupby("order").median()[[1, 5, 10]].tolist()


def ends_of_ratios():
    table = published("learned_priors/ratios")
    return table.query("method == 'beta-dir-vb-learned' and other == 'beta-dir-vb-grid'").set_index("dataset")["high"]


def rivals_excess(method, statistic="mean"):
    return [published("rivals/losses").query("method == @method")["excess"].agg(statistic)]


def against(rival):
    """Return the mean excess of a rival, and by how much ours are lower, with intervals, in per cent."""
    rows = published("rivals/against").query("rival == @rival")
    values = [*rivals_excess(rival), *rows[["lower by", "low", "high"]].to_numpy().ravel()]
    return [100 * value for value in values]


RIVALS = {
    "myFM": "myfm",
    "ideal points": "ideal-point",
    "scikit-learn's NMF": "scikit-nmf",
    "StepMix": "stepmix",
    "mirt": "mirt",
}


def above_single(table="confirm_losses", methods=("nbmf-fit",)):
    """Return by how much the losses of methods are above that of the best single method of each matrix."""
    losses = published(f"trials/{table}")
    single = losses[(losses["kind"] == "library") & ~losses["method"].isin(["stacking", "nbmf-fit"])]
    least = single.groupby("dataset")["loss"].min()
    return [(losses[losses["method"] == method].set_index("dataset")["loss"] / least).mean() - 1 for method in methods]


READABLE = (
    "stacking",
    "nbmf-fit",
    "logistic-map",
    "beta-dir-vb-learned",
    "scikit-nmf",
    "logistic-vb",
    "logistic-vb-columns",
)
# A page; what it says, with the numbers left out; the numbers.
NUMBERS = [
    ("README", "log loss of `nbmf fit` was {:.1%} above", lambda: excess("confirm_excess", "nbmf-fit")),
    ("README", "NMF with its best K had {:.1%}", lambda: excess("confirm_excess", "scikit-nmf")),
    (
        "README",
        "{:.1%} against {:.1%} on the same matrices",
        lambda: excess("confirm_excess", "nbmf-fit", "scikit-lda"),
    ),
    (
        "trials",
        "| stacking | {:.1%} | | `nbmf fit` | {:.1%} | | logistic MAP | {:.1%} | | "
        "Beta-Dir VB with learned priors | {:.1%} | | "
        "scikit-learn's NMF with its best K, the best method from outside the library | {:.1%} | | "
        "logistic VB | {:.1%} | | logistic VB with column effects | {:.1%} |",
        lambda: excess("confirm_excess", *READABLE),
    ),
    (
        "trials",
        "logistic GS with learned effects has {:.1%}, `nbmf fit`",
        lambda: excess("confirm_excess", "logistic-gs-learned-effects"),
    ),
    ("trials", "`nbmf fit` {:.1%}.", lambda: excess("confirm_excess", "indian-buffet", column="default there")),
    (
        "trials",
        "To the best single method** `nbmf fit` loses {:.1%}; stacking has {:.1%}.",
        lambda: above_single(methods=("nbmf-fit", "stacking")),
    ),
    ("trials", "| {:.0f}, {:.0f}, {:.0f}, {:.0f} % | stacking |", lambda: excess_of_fit(*BY_STACKING)),
    ("trials", "| {:.0f}, {:.0f} % | a sampler", lambda: excess_of_fit("lesmis", "munsingen")),
    ("trials", "| {:.0f} % | Beta-Dir VB, finite |", lambda: excess_of_fit("florentine")),
    ("trials", "the loss is on average {:.1%} above", lambda: excess("excess", "nbmf-fit")),
    ("trials", "average {:.2%} above the smallest", lambda: excess("excess", "stacking")),
    ("trials", "and {:.1%} above that of the best single one", lambda: above_single("losses")),
    ("trials", "`logistic-map` is {:.0%} above", lambda: excess("excess", "logistic-map")),
    ("trials", "learned priors is {:.0%} above the library's best", lambda: excess("excess", "beta-dir-vb-learned")),
    ("rivals", "| stacking | {:.1%} | | |", lambda: rivals_excess("stacking")),
    ("rivals", "| `nbmf fit` | {:.1f} % | {:.1f} % ({:.1f} to {:.1f}) | |", lambda: against("nbmf-fit")),
    *(
        (
            "rivals",
            f"| {label} | {{:.1f}} % | {{:.1f}} % ({{:.1f}} to {{:.1f}}) | {{:.1f}} % ({{:.1f}} to {{:.1f}}) |",
            functools.partial(against, rival),
        )
        for label, rival in RIVALS.items()
    ),
    ("README", "{:.1f} % ({:.1f} to {:.1f}) less loss", lambda: against("myfm")[1:4]),
    ("README", "`nbmf fit` has {:.1f} % less ({:.1f} to {:.1f})", lambda: against("myfm")[4:]),
    ("rivals", "exceeds the best of the library by at most {:.1%}", lambda: rivals_excess("nbmf-fit", "max")),
    ("rivals", "exceeds the smallest of the library by {:.0%} on", lambda: rivals_excess("stacking", "max")),
    ("rivals", "by {:.1%} at most elsewhere", lambda: rivals_excess("stacking", lambda x: x.nlargest(2).iloc[1])),
    ("rivals", "the Indian buffet ({:.1%})", lambda: rivals_excess("indian-buffet")),
    ("priors", "Against the paper's prior they gain {:.0f} to {:.0f} %", gains_over_the_papers_prior),
    ("reproductions", "mean-parameterised method on paleo ({:.4f})", lambda: losses_under(1.0)),
    ("reproductions", "it is the best: {:.4f}, {:.4f} and {:.4f}, where", lambda: losses_under(0.3, 0.1, 0.01)),
    (
        "reproductions",
        "where the best other one has {:.4f}.",
        lambda: best_median("paleo", "beta-dir-gs", "beta-dir-vb", "bica", "c-bica"),
    ),
    (
        "reproductions",
        "With b outside, the errors are {:.2f} and {:.2f},",
        lambda: errors_of("set_up_3", "pg-f", "bohning"),
    ),
    (
        "reproductions",
        "With b inside they are {:.2f} and {:.2f},",
        lambda: errors_of("set_up_3_inside", "pg-f", "bohning"),
    ),
    ("ohn2022", "Mean K+ is {:.2f} to {:.2f}, with", lambda: factors_of("ohn2022-cibp", "")),
    ("ohn2022", "Mean K+ is {:.1f} to {:.1f}, with", lambda: factors_of("ohn2022-ibp", "")),
    ("ohn2022", "The IBP has {:.1f} to {:.1f} factors with τ = 1", lambda: factors_of("IBP(1, 10)", "τ = 1")),
    ("ohn2022", "τ = 1, {:.1f} to {:.1f} with 6.25", lambda: factors_of("IBP(1, 10)", "τ = 6.25")),
    ("ohn2022", "and {:.1f} to {:.1f} with a", lambda: factors_of("IBP(1, 10)", "τ ~ IG(1, 1)")),
    ("reproductions", "finds {:.1f} at p = 50 and {:.1f} at p = 300", lambda: factors_of("IBP(1, 10)", "τ = 1")),
    ("reproductions", "it finds [{:.1f} and {:.1f}]", lambda: factors_of("IBP(1, 10)", "τ ~ IG(1, 1)")),
    *(
        (
            "lumbreras2020",
            f"| {name} | {{:.3f}} | {{:.4f}} | {{:.4f}} | {{:.3f}} | {{:.3f}} |",
            lambda eta=eta: losses_under(eta, datasets=("animals", "lastfm", "paleo", "parliament", "unvotes")),
        )
        for name, eta in (("1, as in text and scripts", 1.0), ("0.3", 0.3), ("0.1", 0.1), ("1/K, as γ", 0.01))
    ),
    ("lumbreras2020", "is K = 8 ([{:.2f}, {:.2f}];", lambda: range_of("unvotes_coldwar", 8)),
    ("lumbreras2020", "in Figure 9 is K = 1 ([{:.2f}, {:.2f}]).", lambda: range_of("paleo", 1)),
    (
        "votes-as-cast",
        "moves from {:.2f} ({:.2f} to {:.2f}) in 1976 to {:.2f} ({:.2f} to {:.2f}) in 1992",
        lambda: [
            *position_of_a_country("Russian Federation", 1976),
            *position_of_a_country("Russian Federation", 1992),
        ],
    ),
    (
        "votes-as-cast",
        "yes and the rest, {:.4f} and {:.4f}: the main paper's",
        lambda: losses_of_votes("third_category", "categories", "yes", "three", "two"),
    ),
    (
        "votes-as-cast",
        "their mean loss, {:.3f} nats, is the smallest, but not significantly smaller than that of positions that stay "
        "({:.3f}, and {:.3f} with",
        lambda: losses_of_votes(
            "forecasts",
            ["known", "method"],
            "yes",
            *(("a fifth", f"votes-{name}") for name in ("moving", "staying", "staying-rows")),
        ),
    ),
    (
        "votes-as-cast",
        "nothing is known** their loss is {:.3f} nats, as",
        lambda: losses_of_votes("forecasts", ["known", "method"], "yes", ("none", "votes-moving")),
    ),
    ("votes-as-cast", "in the last session is {:.3f} because of 1965", lambda: of_last_session([])),
    (
        "votes-as-cast",
        "(without 1965 {:.3f}, moving positions {:.3f})",
        lambda: of_last_session([1965], "votes-moving"),
    ),
    (
        "klami2015",
        "errors of {:.2f} and {:.2f} for .32 and .49, log-likelihoods of {:.3f} and {:.3f} for -.129 and -.185",
        lambda: [*by_line_search("high error"), *by_line_search("log likelihood")],
    ),
    ("cemgil2009", "It is {:.0f} nats below it at one source, {:.0f} at 5, {:.0f} at 10", above_the_bound),
    ("cemgil2009", "on {:.0f} of {:.0f} runs, learned ones on {:.0f}", below_ml_from_images),
    ("shan2009", "Not on Ecoli: mean entropies {:.2f} and {:.2f}", entropies_of_ecoli),
    (
        "lumbreras2020",
        "Better on lastfm (by {:.0f} %), unvotes ({:.0f} %) and paleo ({:.0f} %)",
        lambda: [100 * gain_of_logpca(dataset) for dataset in ("lastfm", "unvotes", "paleo")],
    ),
    ("lumbreras2020", "On animals K = 4 has {:.1f} times the loss of K = 2", loss_of_more_components),
    (
        "comparison",
        "{:.3f} on animals, {:.3f} on lastfm, {:.3f} on paleo, {:.3f} on parliament and {:.3f} on unvotes",
        lambda: means_of("stacking", *DATASETS),
    ),
    (
        "comparison",
        "with {:.3f}, {:.3f}, {:.3f} and {:.3f}. On unvotes it has {:.3f}",
        lambda: means_of("logistic-gs-learned-effects", *DATASETS),
    ),
    ("comparison", "and the [Indian buffet](buffet.md) {:.3f}", lambda: means_of("indian-buffet", "unvotes")),
    (
        "comparison",
        "from {:.3f} to {:.3f} on animals, from {:.3f} to {:.3f} on paleo, and from {:.3f} to {:.3f} on unvotes",
        learned_priors_of_beta_dir,
    ),
    ("priors", "On animals it ends at {:.3f}", lambda: [ends_of_ratios()["animals"]]),
    (
        "votes-as-cast",
        "predict alike, about {:.4f} nats",
        lambda: losses_of_votes("senate", "method", "log loss", "senate-ordinal"),
    ),
]


def page(name):
    path = ROOT / ("README.md" if name == "README" else f"docs/{name}.md")
    return " ".join(path.read_text(encoding="utf-8").split())


def is_said(text, sentence, numbers):
    said = re.sub(r"(?<=\d)%", " %", sentence.format(*numbers))
    return said in text


@pytest.mark.parametrize(
    ("name", "sentence", "numbers"), NUMBERS, ids=[f"{name}-{i}" for i, (name, *_) in enumerate(NUMBERS)]
)
def test_numbers_in_pages_are_those_of_the_tables(name, sentence, numbers):
    values = numbers()
    assert is_said(page(name), sentence, values), sentence.format(*values)


def test_what_the_comparison_says_of_places_is_so():
    ranking = published("all_methods/ranking")
    single = ranking[(ranking["method"] != "stacking") & (ranking["K"] > 0)]
    inference = {name: estimator_class(entry["class"]).inference for name, entry in METHODS.items()}
    is_fast = single["method"].map(inference) != Inference.SAMPLER
    for dataset in DATASETS:
        of_dataset = ranking[ranking["dataset"] == dataset]
        assert of_dataset["method"].iloc[0] == "stacking"
        best = single[single["dataset"] == dataset]["method"].tolist()
        is_unvotes = dataset == "unvotes"
        assert best[0] == ("indian-buffet" if is_unvotes else "logistic-gs-learned-effects")
        assert is_unvotes or best[1] == "indian-buffet"
        fast = single[(single["dataset"] == dataset) & is_fast]["method"].iloc[0]
        special = {"lastfm": "logistic-vb-columns", "unvotes": "logistic-map"}
        assert fast == special.get(dataset, "logistic-vb-learned-effects")
        place = of_dataset["method"].tolist().index("bernoulli-poisson-gs") + 1
        assert place == 14 if is_unvotes else 8 <= place <= 9
        assert abs(means_of("mmnb-rows", dataset)[0] - means_of("beta-dir-vb", dataset)[0]) <= 0.003
        ahead = of_dataset[of_dataset["method"] != "stacking"]["significant"].all()
        assert ahead == (dataset != "animals")


def test_a_wrong_number_is_found():
    """One that is more than twice as far from zero, in a page or in a table."""
    for name, sentence, numbers in NUMBERS:
        values = numbers()
        for i in range(len(values)):
            wrong = 2 * values[i] + (1 if values[i] >= 0 else -1)
            assert not is_said(page(name), sentence, [*values[:i], wrong, *values[i + 1 :]])
