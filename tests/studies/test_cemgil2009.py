"""The study cemgil2009: data, fits in small, figures, and claims on made-up runs."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.io
from checkout import ROOT, shipped_configuration
from claim_verdicts import verdict_on
from figure_checks import assert_tidy, legend_texts, panels

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.families.poisson_gamma import evidence
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaGibbs, PoissonGammaICM, PoissonGammaVB
from nbmf.files import write_json
from nbmf.fit_key import WHOLE
from nbmf.fits import FitRequest, run_fit
from nbmf.inference.progress import FitRecorder
from nbmf.seeds import child, seed_sequence
from nbmf_studies.cemgil2009 import (
    claims,
    experiments,
    figures,
    filling,
    images,
    olivetti,
    order_bounds,
    order_evidence,
    patches,
    reported_values,
    simulation,
    templates,
)
from nbmf_studies.cemgil2009.averages import averages
from nbmf_studies.cemgil2009.criteria import PRINTED, Results
from nbmf_studies.cemgil2009.evidence_methods import FOUND, AnnealedEvidence, ChibEvidence
from nbmf_studies.cemgil2009.filling_methods import EMFromImages, whole_images
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, PIXEL_MEAN, SHORT, WAYS
from nbmf_studies.cemgil2009.simulation import Truth, draw
from nbmf_studies.cemgil2009.study import STUDY
from nbmf_studies.framework.loaded import ShownFit
from nbmf_studies.framework.plan import Plan
from nbmf_studies.pipeline import configuration, fit_jobs, mask_jobs, targets

CONFIG = shipped_configuration()
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
OPTIONS = CONFIG["studies"]["cemgil2009"]["options"]
PAPER = Truth(16, 10, 5, 10, 1, 1, 100)  # section 4
SMALL = Truth(5, 4, 2, 10, 1, 1, 20)


# --- The data --------------------------------------------------------------------------------


def faces_file(tmp_path, faces):
    scipy.io.savemat(tmp_path / "faces.mat", {"faces": faces})
    return tmp_path / "faces.mat"


def test_photographs_are_means_of_blocks_and_upright(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 243, (64, 64, 400)).astype(np.uint8)
    pictures[:32] //= 2  # the upper half is darker
    path = faces_file(tmp_path, pictures.reshape(4096, 400, order="F"))
    whole = olivetti.build(faces=path, side=64, images=400)
    np.testing.assert_array_equal(whole.tallies[:, 7].reshape(64, 64), pictures[:, :, 7])
    assert whole.row_names[65] == "row 1, column 1"
    assert whole.column_names[[0, 9, 10]].tolist() == ["person 1, image 1", "person 1, image 10", "person 2, image 1"]
    small = olivetti.build(faces=path, side=16, images=400)
    image = small.tallies[:, 399].reshape(16, 16)
    for row, column in [(0, 0), (3, 9), (15, 2)]:
        block = pictures[4 * row : 4 * row + 4, 4 * column : 4 * column + 4, 399]
        assert image[row, column] == math.floor(block.mean())
    assert image[:8].mean() < image[8:].mean()
    few = olivetti.build(faces=path, side=16, images=50)
    np.testing.assert_array_equal(few.tallies, small.tallies[:, :50])
    np.testing.assert_array_equal(few.column_names, small.column_names[:50])


def test_a_wrong_file_or_size_is_named(tmp_path):
    path = faces_file(tmp_path, np.zeros((4096, 399), np.uint8))
    with pytest.raises(DataError, match=r"faces\.mat: `faces` has to be uint8, 4096 x 400"):
        olivetti.build(faces=path, side=16, images=50)
    (tmp_path / "no.mat").write_bytes(b"no MATLAB file at all " * 20)
    with pytest.raises(DataError, match=r"no\.mat: no MATLAB 5 file"):
        olivetti.build(faces=tmp_path / "no.mat", side=16, images=50)
    for side in (48, 0, 128, True, 16.0):
        with pytest.raises(ConfigError, match="allowed: a divisor of 64"):
            olivetti.build(faces=path, side=side, images=50)
    for count in (0, 401, True, 50.0):
        with pytest.raises(ConfigError, match="allowed: an integer from 1 to 400"):
            olivetti.build(faces=path, side=16, images=count)


def test_matrices_are_drawn_from_the_model():
    assert Truth(**OPTIONS["figure_3"]["truth"]) == PAPER
    np.testing.assert_array_equal(draw(PAPER, 3), draw(Truth(*map(float, PAPER))._replace(rows=16, columns=10, K=5), 3))
    assert (draw(PAPER, 3) != draw(PAPER, 4)).any()
    many = np.stack([draw(PAPER, seed) for seed in range(300)]).astype(float)
    assert many.shape == (300, 16, 10)
    # E x = 5 * 1 * 100; templates vary by 1/10 and excitations by 1, so columns vary most:
    # Var x = E x + 5 * 100² ((1 + 1/10)(1 + 1) - 1).
    assert many.mean() == pytest.approx(500, abs=4 * 100 * math.sqrt(5 / 3000))
    assert many.var() == pytest.approx(500 + 60_000, rel=0.12)
    assert many.mean(axis=1).var() == pytest.approx(5e4, rel=0.12)  # almost that of Σ h


def test_settings_are_those_of_section_4():
    three, four, seven = (OPTIONS[f"figure_{n}"] for n in (3, 4, 7))
    settings = {name: method.get("settings", {}) for name, method in CONFIG["methods"].items()}
    assert three["orders"] == list(range(1, 11))
    assert settings["cemgil2009-bound"]["max_iter"] == settings["cemgil2009-adapted-bound"]["max_iter"] == 10_000
    assert three["chib"]["runs"] == 5
    assert settings["cemgil2009-chib"] == {"burn_in": 5000, "n_samples": 10_000}
    assert (four["orders"][0], four["orders"][-1]) == (1, 100)
    for printed in PRINTED.values():  # the grid is fine where the paper's choice is
        assert set(range(printed - 5, printed + 6)) <= set(four["orders"])
    assert set(four["datasets"]) == set(PRINTED)
    assert seven["images"] == 5 * patches.PER_PERSON == 50
    assert set(seven["orders"]) >= {1, 25, 50, 75, 100}
    assert OPTIONS["figure_6"]["order"] == 100
    shapes = {
        (method["settings"]["shape_W"], method["settings"]["shape_H"]): method["K"]
        for name, method in CONFIG["methods"].items()
        if name.startswith("cemgil2009-") and method["K"] == [36]
    }
    printed = {(10, 10), (0.1, 0.1), (10, 0.2), (10, 0.5)}
    assert shapes == {pair: [36] for pair in printed | {(0.5, 10)}}


# --- The fits --------------------------------------------------------------------------------


def made(mirrors, tmp_path, monkeypatch, change=lambda config: None):
    """Return what the study makes where raw files lie in `mirrors` alone, and the plan."""
    monkeypatch.chdir(tmp_path)
    config = json.loads(json.dumps({**CONFIG, "mirrors": mirrors}))
    change(config)
    plan = configuration.plans(configuration.check(config, SCHEMA))["cemgil2009"]
    return targets.targets_of(STUDY, plan), plan


def with_faces(tmp_path):
    place = tmp_path / "mirror/sjgershm/DBM/a30d9abb523aab874a299b8b1aa21e7df2023f60"
    place.mkdir(parents=True)
    (place / "olivettifaces.mat").write_bytes(b"is there")
    return ["mirror"]


def small(config):
    """Make all fits short."""
    for name, method in config["methods"].items():
        if name.startswith("cemgil2009-"):
            brief = {"max_iter": 60, "burn_in": 20, "n_samples": 40, "chains": 4}
            method["settings"] |= {key: brief[key] for key in brief if key in method["settings"]}
    options = config["studies"]["cemgil2009"]["options"]
    options["figure_3"] |= {"truth": SMALL._asdict(), "orders": [1, 2], "starts": 2, "chib": {"matrices": 1, "runs": 2}}
    options["figure_4"] |= {"datasets": ["olivetti_16"], "orders": [2, 3], "starts": 2}
    options["figure_6"] |= {"dataset": "olivetti_16", "order": 3}
    options["figure_7"] |= {"datasets": ["olivetti_16"], "orders": [3], "runs": 2, "images": 20}
    config["studies"]["cemgil2009"]["seeds"] = [1, 2]


@pytest.fixture(scope="module")
def small_plan():
    config = json.loads(json.dumps(CONFIG))
    small(config)
    return Plan("cemgil2009", configuration.check(config, SCHEMA))


def fitted(plan, case, matrix):
    """Return report and estimator of a case, as the rule `fit` makes them."""
    dataset, method = plan.dataset_entry(case.key.dataset), plan.entry(case.key.method)
    request = FitRequest(**json.loads(fit_jobs.request(case.key, method, dataset)))
    is_whole = case.key.mask == WHOLE
    mask = None if is_whole else mask_jobs.draw(matrix, case.key.mask, dataset["held_out"], mask_jobs.options(dataset))
    return run_fit(matrix, mask, request, log=lambda line: None)


def written(folder, results):
    """Return cases and the paths of their reports, as tables get them."""
    fits = []
    for number, (case, result) in enumerate(results):
        write_json(folder / f"{number}.json", result.report)
        fits.append((case.columns, str(folder / f"{number}.json")))
    return fits


# --- Figure 3 in small -----------------------------------------------------------------------


def test_every_order_has_every_kind_of_evidence_with_its_error(small_plan, tmp_path):
    cases = [case for case in experiments.evidence_cases(small_plan) if case.columns["seed"] == 1]
    matrix = simulation.build(**cases[0].dataset["options"])
    np.testing.assert_array_equal(matrix.tallies, draw(SMALL, 1))
    results = [(case, fitted(small_plan, case, matrix)) for case in cases]
    table = order_evidence.tabulate(written(tmp_path, results))
    counts = table.groupby(["order", "kind"]).size()
    assert counts.to_dict() == {
        (order, kind): 2 if kind == CHIB else 1 for order in (1, 2) for kind in (BOUND, ADAPTED, CHIB, ANNEALED)
    }
    assert table[["value", "error", "effective_size", "seconds"]].notna().all(axis=None)
    assert (table.loc[table["kind"].isin([BOUND, ADAPTED]), "effective_size"] == 2).all()
    chib = table[table["kind"] == CHIB].groupby("order")["value"]
    assert (chib.nunique() == 2).all()  # runs of their own
    # The numbers are those of models with the true priors, fixed or learned, on that matrix.
    values, X = table.set_index(["order", "kind", "run"]), matrix.tallies
    fixed, learned = (dict.fromkeys([f"tie_{name}" for name in SMALL.priors], tie) for tie in ("fixed", "all"))

    def model(make, ties, kind, run, **lengths):
        case = next(c for c in cases if [c.columns[x] for x in ("order", "kind", "run")] == [2, kind, run])
        seed = seed_sequence(*case.key.stream(experiments.method_of(kind)))
        return make(2, **SMALL.priors, **ties, **lengths, random_state=seed)

    gibbs = model(PoissonGammaGibbs, fixed, ANNEALED, 0)
    expected = evidence.annealed(gibbs, X, temperatures=60, chains=4)
    assert tuple(values.loc[(2, ANNEALED, 0), list(FOUND)]) == expected[:3]
    gibbs = model(PoissonGammaGibbs, fixed, CHIB, 1)
    expected = evidence.chib(gibbs, X, burn_in=20, free=40, clamped=40)
    assert tuple(values.loc[(2, CHIB, 1), list(FOUND)]) == expected[:3]
    for kind, ties in ((BOUND, fixed), (ADAPTED, learned)):
        starts = []
        for run in range(2):
            last = FitRecorder(60, 1, lambda state: 0.0, lambda line: None)
            model(PoissonGammaVB, ties, kind, run, max_iter=60, relative_gain_tol=1e-8).fit(X, monitor=last)
            starts.append(last.trace["objective"][-1])
        assert values.loc[(2, kind, 0), "value"] == max(starts)
        assert values.loc[(2, kind, 0), "error"] == pytest.approx(np.std(starts, ddof=1))


def test_what_an_estimate_predicts_is_near_the_data():
    """Of a Poisson count the variance is the mean: ten times that is far."""
    X = draw(SMALL, 3)
    for method in (ChibEvidence(2, burn_in=20, n_samples=40), AnnealedEvidence(2, max_iter=200, chains=4)):
        method.set_params(**SMALL.priors, random_state=0).fit(X)
        assert ((X - method.expectation_) ** 2).mean() < 10 * X.mean()
        assert (method.W_.shape, method.H_.shape) == ((5, 2), (2, 4))
        assert method.evidence_.value < 0


def test_one_weight_has_no_error():
    found = ChibEvidence(1, burn_in=0, n_samples=1, random_state=0).fit(draw(SMALL, 0)).findings
    assert found["error"] is None
    assert found["effective_size"] == 1


def test_runs_are_averaged_and_their_spread_kept():
    rows = [
        {
            "seed": 0,
            "order": 2,
            "kind": CHIB,
            "run": run,
            "value": value,
            "error": 9.0,
            "effective_size": size,
            "seconds": 1.0 + run,
        }
        for run, (value, size) in enumerate([(1.0, 5.0), (3.0, 2.0), (5.0, 7.0)])
    ]
    rows.append({**rows[0], "kind": BOUND, "error": 0.5})
    chib, bound = averages(pd.DataFrame(rows)).to_dict("records")
    assert (chib["value"], chib["spread"], chib["effective_size"]) == (3.0, 2.0, 2.0)
    assert chib["error"] == pytest.approx(2 / math.sqrt(3))
    assert (chib["runs"], chib["seconds"]) == (3, 2.0)
    assert (bound["value"], bound["error"], bound["runs"]) == (1.0, 0.5, 1)
    assert math.isnan(bound["spread"])


# --- Figure 4 in small -----------------------------------------------------------------------


def test_a_fit_of_an_order_says_what_it_learned(small_plan, tmp_path):
    cases, matrix = list(experiments.order_cases(small_plan)), photographs(16)
    results = [(case, fitted(small_plan, case, matrix)) for case in cases]
    table = order_bounds.tabulate(written(tmp_path, results))
    assert table[["start", "order"]].to_numpy().tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert (table["dataset"] == "olivetti_16").all()
    assert (table["iterations"] == 60).all()
    assert not table["converged"].any()
    assert (table["bound"] < 0).all()
    assert table["bound"].is_unique
    learned = results[0][1].estimator
    assert table["shape_W"][0] == learned.shape_W_.mean() != 10  # where learning began
    assert table["mean_H"][0] == learned.mean_H_.mean()


# --- Figures 6 and 7 in small ----------------------------------------------------------------


def photographs(side, people=2, seed=0):
    rng = np.random.default_rng(seed)
    faces = rng.gamma(5.0, 10.0, (side * side, people)).repeat(patches.PER_PERSON, axis=1)
    return CountMatrix.from_array(rng.poisson(faces))


@pytest.mark.parametrize("run", [0, 3])
def test_the_same_patch_is_missing_in_half_of_each_persons_images(run):
    coarse = patches.half_with_patch(photographs(16), run)
    fine = patches.half_with_patch(photographs(32), run)
    of_image = coarse.any(axis=0)
    np.testing.assert_array_equal(of_image, fine.any(axis=0))  # at every resolution
    assert of_image.reshape(2, 10).sum(axis=1).tolist() == [5, 5]
    inside = coarse[:, of_image].reshape(16, 16, 10)
    assert inside[4:7, 3:13].all()
    assert inside.sum() == 10 * 30
    assert fine.sum() == 4 * coarse.sum()
    assert [n // 10 for n in patches.shown_images(coarse)] == [0, 1]
    assert coarse[:, patches.shown_images(coarse)].any(axis=0).all()


def test_runs_differ_in_the_half_and_take_the_patches_in_turn():
    masks = [patches.half_with_patch(photographs(16), run) for run in range(6)]
    assert len({tuple(mask.any(axis=0)) for mask in masks}) > 2
    inside = [tuple(mask.any(axis=1)) for mask in masks]
    assert inside[:3] == inside[3:]
    assert len(set(inside)) == 3


def test_the_ratio_is_that_of_the_missing_pixels():
    counts, hidden = np.array([[3, 4], [5, 6]]), np.array([[True, True], [False, False]])
    expectation = np.array([[2.0, 6.0], [100.0, 100.0]])
    assert patches.signal_to_noise(counts, hidden, expectation) == pytest.approx(10 * math.log10(25 / 5))


def test_sparseness_is_one_of_a_single_entry_and_zero_of_equal_ones():
    assert patches.sparseness(np.eye(3)[:, :1] * 7.0) == pytest.approx(1)
    assert patches.sparseness(np.full((4, 5), 2.0)) == pytest.approx(0)
    table = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert patches.sparseness(table) == pytest.approx((2 - 7 / 5) / (2 - 1))


def test_the_mean_of_a_pixel_is_over_images_that_have_it():
    found = patches.mean_of_pixels(np.array([[2, 9, 4]]), np.array([[False, True, False]]))
    np.testing.assert_array_equal(found, [[3.0, 3.0, 3.0]])


PHOTOGRAPHS = photographs(16)
HIDDEN = patches.half_with_patch(PHOTOGRAPHS, 0)
GIVEN = np.where(HIDDEN, -1, PHOTOGRAPHS.tallies)


def fits_of_ways(plan, matrix):
    """Return case and result of every way to fill the patches of the first run."""
    cases = [case for case in experiments.filling_cases(plan) if case.columns["run"] == 0]
    return {case.columns["way"]: (case, fitted(plan, case, matrix)) for case in cases}


@pytest.fixture(scope="module")
def filled(small_plan):
    return fits_of_ways(small_plan, PHOTOGRAPHS)


def test_every_way_fills_what_is_missing(filled):
    assert list(filled) == list(WAYS) == list(SHORT)
    least = dict.fromkeys(WAYS, 12.0) | {"ml_images": 4.0}  # dB; the last is slow to converge
    for way, (_, (report, fit)) in filled.items():
        assert (fit.W_.shape, fit.H_.shape) == ((256, 3), (3, 20))
        np.testing.assert_allclose(fit.expectation_, fit.W_ @ fit.H_, rtol=1e-9)
        assert report["measures"]["snr"] > least[way]
        assert report["n_test"] == HIDDEN.sum()
    assert filled["vb"][1].report["measures"]["snr_of_pixel_mean"] < 11
    assert len({float(fit.W_.sum()) for _, (_, fit) in filled.values()}) == len(WAYS)


def test_what_is_missing_is_seen_by_ml_from_images_alone(filled, small_plan):
    other = PHOTOGRAPHS.tallies.copy()
    other[HIDDEN] = 1
    again = fits_of_ways(small_plan, CountMatrix.from_array(other))
    same = {way for way in WAYS if np.array_equal(again[way][1].estimator.W_, filled[way][1].estimator.W_)}
    assert same == WAYS.keys() - {"ml_images"}


def from_images(K, max_iter, seed=0):
    told = whole_images(PHOTOGRAPHS)
    return EMFromImages(K, **told, max_iter=max_iter, relative_gain_tol=0, random_state=seed)


def test_ml_from_images_fits_what_is_given_alone():
    fit = from_images(1, 300).fit(GIVEN)
    left = np.where(HIDDEN, 0.0, PHOTOGRAPHS.tallies - fit.expectation_)
    np.testing.assert_allclose(left.sum(axis=1), 0, atol=1e-6)  # where the likelihood is stationary
    np.testing.assert_allclose(left.sum(axis=0), 0, atol=1e-6)
    with pytest.raises(ConfigError, match="images = None: must be the counts of all images"):
        EMFromImages(2).fit(GIVEN)


def test_templates_that_begin_as_images_are_images():
    W, H = from_images(32, 1)._starting_tables(PHOTOGRAPHS.tallies, None, np.random.SeedSequence(0))
    assert (W.shape, H.shape) == ((256, 32), (20, 32))
    ratio = W[:, :, None] / np.maximum(PHOTOGRAPHS.tallies, 1)[:, None, :]
    like = (np.abs(ratio - 1) < 0.1001).all(axis=0)  # template x image
    assert like.any(axis=1).all()
    assert like[:20].any(axis=0).all()  # each once before any is taken twice


def test_icm_takes_over_the_priors_that_vb_has_learned(filled):
    """Those of the fit beside it, which has the same random stream."""
    learned = filled["vb_icm"][1].estimator.learned_
    vb = filled["vb"][1].estimator
    assert learned == {name: getattr(vb, f"{name}_")[0] for name in learned}
    assert learned["mean_W"] == pytest.approx(vb.W_.mean(), rel=0.05)  # the mean of E over the ties
    assert learned["shape_W"] != 10
    icm = PoissonGammaICM(3, **learned, max_iter=60, relative_gain_tol=0)
    seed = seed_sequence(*filled["vb"][0].key.stream("cemgil2009-vb"))
    report, after_vb = filled["vb_icm"][1]
    np.testing.assert_array_equal(icm.set_params(random_state=child(seed, "icm")).fit(GIVEN).W_, after_vb.W_)
    assert report["findings"] == learned


def test_scores_are_those_of_the_factors(filled, small_plan, tmp_path):
    fits = written(tmp_path, filled.values())
    table = filling.tabulate(fits)
    assert table["way"].tolist() == [PIXEL_MEAN, *WAYS]
    row, fit = table[table["way"] == "vb_icm"].iloc[0], filled["vb_icm"][1].estimator
    assert row["snr"] == patches.signal_to_noise(PHOTOGRAPHS.tallies, HIDDEN, fit.expectation_)
    found = (patches.sparseness(fit.W_), patches.sparseness(fit.H_))
    assert (row["sparseness_W"], row["sparseness_H"]) == found
    assert [case.columns for case in experiments.shown_cases(small_plan)] == [columns for columns, _ in fits]
    pixels = filling.reconstruct(PHOTOGRAPHS, fits, 0)
    assert pixels["image"].nunique() == 2  # one of each person, with the patch missing
    for n, own in pixels.groupby("image"):
        np.testing.assert_array_equal(own["truth"], PHOTOGRAPHS.tallies[:, n])
        np.testing.assert_array_equal(own["hidden"], HIDDEN[:, n])
        assert own["hidden"].sum() == 30
        expected = np.where(HIDDEN[:, n], fit.expectation_[:, n], np.nan)
        np.testing.assert_allclose(own["vb_icm"], expected, rtol=1e-4)


# --- Made-up runs ----------------------------------------------------------------------------

SEEDS, ORDERS = range(10), range(1, 11)
STARTS = (0, 1)
SHAPES = {(10.0, 10.0): -5e5, (0.1, 0.1): -6e5, (10.0, 0.2): -4.9e5, (10.0, 0.5): -4.8e5, (0.5, 10.0): -4.7e5}
RATIOS = {  # dB at 5, 25 and 100 templates
    "vb": (16.0, 18.0, 18.0),
    "vb_icm": (16.0, 17.8, 17.9),
    "vb_one": (16.0, 18.1, 18.0),
    "ml_random": (16.1, 16.5, 15.5),
    "ml_images": (16.0, 16.4, 17.0),
    PIXEL_MEAN: (15.0,) * 3,
}
SPARSENESS = {
    "vb": (0.1, 0.3),
    "vb_icm": (0.2, 0.3),
    "vb_one": (0.2, 0.2),
    "ml_random": (0.4, 0.3),
    "ml_images": (0.2, 0.5),
}


def made_up_evidence(best=None, sizes=50.0, spread=0.5, gap=5.0):
    """Return estimates in which every kind has its largest value at 5.

    best : dict from (kind, seed) to another order
    """
    rows = []
    for seed in SEEDS:
        for order in ORDERS:
            for kind in (BOUND, ADAPTED, CHIB, ANNEALED):
                top = dict(best or {}).get((kind, seed), 5)
                value = -900.0 - 3.0 * abs(order - top) - (gap if kind in (BOUND, ADAPTED) else 0)
                for run in range(3 if kind == CHIB else 1):
                    if kind == CHIB and seed > 1:
                        continue
                    rows.append(
                        {
                            "seed": seed,
                            "order": order,
                            "kind": kind,
                            "run": run,
                            "value": value + spread * (run - 1 if kind == CHIB else 0),
                            "error": 0.1,
                            "effective_size": sizes,
                            "seconds": 2.0,
                        }
                    )
    return pd.DataFrame(rows)


def made_up_orders(best=None):
    """Return bounds with their tops at the paper's orders, but for `best`: by dataset and start."""
    rows = []
    for dataset, printed in PRINTED.items():
        for start in STARTS:
            top = dict(best or {}).get((dataset, start), printed)
            for order in sorted({1, 20, top - 1, top, min(top + 1, 100), 60, 100}):
                bound = -4e5 - 100.0 * (order - top) ** 2
                rows.append({"dataset": dataset, "start": start, "order": order, "bound": bound})
    return pd.DataFrame(rows)


def made_up_bounds(changes=()):
    rows = [
        {"dataset": "olivetti_16", "method": f"cemgil2009-{a:g}-{b:g}", "shape_W": a, "shape_H": b, "bound": bound}
        for (a, b), bound in (SHAPES | dict(changes)).items()
    ]
    return pd.DataFrame(rows)


def made_up_scores(changes=(), sparse=()):
    """Return ratios of three runs; changes: from (way, templates) to dB."""
    rows = []
    for way, values in RATIOS.items():
        for order, snr in zip((5, 25, 100), values, strict=True):
            for run in range(3):
                snr_of_way = dict(changes).get((way, order), snr)
                W, H = (SPARSENESS | dict(sparse)).get(way, (math.nan, math.nan))
                rows.append(
                    {
                        "dataset": "olivetti_16",
                        "run": run,
                        "way": way,
                        "snr": snr_of_way + 2 * run,
                        "order": 0 if way == PIXEL_MEAN else order,
                        "sparseness_W": W,
                        "sparseness_H": H,
                    }
                )
    return pd.DataFrame(rows).drop_duplicates(["run", "way", "order"])


def run_of(**changes):
    tables = {
        "estimates": made_up_evidence(),
        "orders": made_up_orders(),
        "bounds": made_up_bounds(),
        "scores": made_up_scores(),
    } | changes
    return {"K": 5, **tables}


def verdicts(**changes):
    return claims.claims(**run_of(**changes))["verdict"].tolist()


def test_every_claim_holds_where_everything_is_as_the_paper_says():
    assert verdicts() == ["reproduced"] * 15 + ["not measured"] * 4  # of which the second reading judges
    table = claims.claims_parts(**run_of())
    assert table["holds"].all()
    assert table["number"].nunique() == len(claims.CLAIMS) - 4 == 15
    assert table["evidence"].str.len().min() >= 5


def wrong(kind, count, order):
    return made_up_evidence({(kind, seed): order for seed in range(count)})


@pytest.mark.parametrize(
    ("number", "just", "broken"),
    [
        (1, {"estimates": wrong(BOUND, 3, 3)}, {"estimates": wrong(BOUND, 4, 3)}),
        (2, {"estimates": wrong(ADAPTED, 3, 6)}, {"estimates": wrong(ADAPTED, 4, 6)}),
        (3, {"estimates": wrong(BOUND, 0, 3)}, {"estimates": wrong(CHIB, 1, 4)}),
        (4, {"estimates": made_up_evidence(gap=9.9)}, {"estimates": made_up_evidence(gap=10.1)}),
        (4, {"estimates": made_up_evidence(gap=-9.9)}, {"estimates": made_up_evidence(gap=-10.1)}),  # too low, too
        (5, {"estimates": wrong(ANNEALED, 10, 6)}, {"estimates": wrong(ANNEALED, 4, 7)}),
        (5, {"estimates": wrong(ANNEALED, 3, 4)}, {"estimates": wrong(ANNEALED, 4, 4)}),
        (5, {}, {"estimates": made_up_evidence(sizes=9.9)}),
        (6, {"orders": made_up_orders({("olivetti_16", 1): 32})}, {"orders": made_up_orders({("olivetti_16", 1): 33})}),
        (6, {"orders": made_up_orders({("olivetti_32", 0): 34})}, {"orders": made_up_orders({("olivetti_32", 0): 33})}),
        (7, {"orders": made_up_orders({("olivetti_16", 0): 41})}, {"orders": made_up_orders({("olivetti_16", 0): 42})}),
        (
            8,
            {"orders": made_up_orders({("olivetti_32", 0): 99})},
            {"orders": made_up_orders({("olivetti_32", 0): 100})},
        ),
        (9, {"bounds": made_up_bounds({(10.0, 0.2): -4.701e5})}, {"bounds": made_up_bounds({(10.0, 0.2): -4.699e5})}),
        (9, {"bounds": made_up_bounds({(10.0, 0.5): -4.6e5})}, {"bounds": made_up_bounds({(0.1, 0.1): -4.699e5})}),
        (10, {"bounds": made_up_bounds({(10.0, 0.2): -4.801e5})}, {"bounds": made_up_bounds({(10.0, 0.2): -4.799e5})}),
        (11, {"scores": made_up_scores({("vb", 100): 17.51})}, {"scores": made_up_scores({("vb", 100): 17.49})}),
        (
            11,
            {"scores": made_up_scores({("ml_random", 100): 17.39})},
            {"scores": made_up_scores({("ml_random", 100): 17.41})},
        ),
        (12, {"scores": made_up_scores({("vb", 100): 17.51})}, {"scores": made_up_scores({("vb", 100): 17.49})}),
        (12, {"scores": made_up_scores({("vb_icm", 25): 18.39})}, {"scores": made_up_scores({("vb_icm", 25): 18.41})}),
        (
            12,
            {"scores": made_up_scores({("ml_random", 100): 16.0})},
            {"scores": made_up_scores({("ml_random", 100): 16.01})},
        ),
        (
            13,
            {"scores": made_up_scores({("ml_images", 100): 16.01})},
            {"scores": made_up_scores({("ml_images", 100): 15.99})},
        ),
        (14, {"scores": made_up_scores({("vb", 5): 16.59})}, {"scores": made_up_scores({("vb", 5): 16.61})}),
        (14, {"scores": made_up_scores({("vb", 5): 15.61})}, {"scores": made_up_scores({("vb", 5): 15.59})}),
        (
            15,
            {"scores": made_up_scores(sparse={"vb": (0.39, 0.3)})},
            {"scores": made_up_scores(sparse={"vb": (0.41, 0.3), "vb_one": (0.41, 0.2)})},
        ),
        (
            15,
            {"scores": made_up_scores(sparse={"vb": (0.1, 0.49)})},
            {"scores": made_up_scores({("vb", 100): 18.1}, {"vb": (0.1, 0.51)})},
        ),
    ],
)
def test_each_rule_has_its_threshold(number, just, broken):
    for changes, holds in ((just, True), (broken, False)):
        assert (verdict_on(claims.CLAIMS, number, Results(**run_of(**changes))) == "reproduced") == holds


def parts_that_fail(number, estimates):
    table = claims.claims_parts(**run_of(estimates=estimates)).query(f"number == {number} and not holds")
    return table["where"].tolist(), set(table["whose"])


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"sizes": 10.1}, None),
        ({"sizes": 9.9}, "effective size"),
        ({"spread": 2.9}, None),
        ({"spread": 3.1}, "spread of runs"),
    ],
)
def test_whether_chib_may_be_believed_is_ours(change, part):
    estimates = made_up_evidence(**change)
    expected = ([f"{part}, matrix {seed}" for seed in range(2)], {"ours"}) if part else ([], set())
    assert parts_that_fail(3, estimates) == expected
    assert verdicts(estimates=estimates)[2] == "reproduced"


@pytest.mark.parametrize(("column", "change"), [("value", -20.0), ("effective_size", -49.0)])
def test_chib_has_to_be_sure_at_every_order(column, change):
    estimates = made_up_evidence()
    one = (estimates["kind"] == CHIB) & (estimates["order"] == 7) & (estimates["run"] == 0)
    estimates.loc[one, column] += change
    assert parts_that_fail(3, estimates)[1] == {"ours"}


def test_the_bound_is_compared_with_chib_and_annealing_is_ours():
    estimates = made_up_evidence()
    estimates.loc[estimates["kind"] == ANNEALED, "value"] += 100
    assert parts_that_fail(4, estimates) == (["annealed importance sampling, median gap in nats"], {"ours"})
    assert verdicts(estimates=estimates)[3] == "reproduced"


def test_runs_are_compared_run_by_run():
    """Patches differ more than ways do: it is their differences that count."""
    scores = made_up_scores()
    scores["snr"] += 10 * scores["run"]
    assert verdicts(scores=scores)[10:14] == ["reproduced"] * 4


def test_what_was_left_out_is_not_measured():
    table = claims.claims(5, estimates=made_up_evidence())
    measured = table.loc[table["verdict"] != "not measured", "number"].tolist()
    assert measured == [1, 2, 3, 4, 5]
    few = made_up_scores()
    assert verdicts(scores=few[few["order"] < 100])[10:15] == [*["not measured"] * 3, "reproduced", "not measured"]
    without_chib = made_up_evidence().query(f"kind != '{CHIB}'")
    assert verdicts(estimates=without_chib)[2:4] == ["not measured"] * 2


def test_numbers_stand_next_to_the_papers():
    table = reported_values.printed(**run_of()).set_index("quantity")
    assert table.loc["templates, olivetti_16"].tolist() == [27, "27", "27, 27"]
    assert table.loc["order by bound, true 5", "ours"] == ", ".join(["5"] * 10)
    gain = next(name for name in table.index if name.startswith("VB less ML-NMF 1"))
    assert table.loc[gain].tolist() == [0.1, "", "-0.10"]
    ratio = next(name for name in table.index if name.startswith("CPU seconds"))
    assert table.loc[ratio].tolist() == [13, "", "50.0"]  # 2 s, and 2 s of 50 starts
    alone = reported_values.printed(5, estimates=made_up_evidence())
    assert len(alone) == 5


def test_the_last_bound_of_the_best_start_counts():
    rows = [
        {
            "dataset": dataset,
            "method": "m",
            "seed": seed,
            "iteration": iteration,
            "objective": -100.0 - 10 * (seed == 0) + iteration,
        }
        for dataset in ("olivetti_16", "olivetti_32")
        for seed in (0, 1)
        for iteration in (1, 5)
    ]
    table = templates.tabulate(pd.DataFrame(rows), {"m": [10, 0.5]})
    assert table["bound"].tolist() == [-95.0, -95.0]
    assert table["shape_W"].tolist() == [10, 10]
    assert table["prototype"].iloc[0] == -489e3
    assert pd.isna(table["prototype"].iloc[1])


# --- Figures ---------------------------------------------------------------------------------


def drawn_lines(axis):
    return {line.get_label(): line for line in axis.lines}


def test_figure_3_has_the_papers_panels_and_annealing_besides_them():
    figure = figures.draw_evidence(made_up_evidence({(BOUND, 1): 3}), 5)
    assert_tidy(figure)
    shown = panels(figure)
    assert list(shown) == [
        "(a) priors known",
        "(b) Chib, 3 runs",
        "annealing (ours)",
        "(c) priors learned",
        "all 10 matrices",
        "effective size",
    ]
    assert len(legend_texts(figure)) == 4
    first = made_up_evidence().query(f"seed == 0 and kind == '{BOUND}'")
    line = drawn_lines(shown["(a) priors known"])["bound"]
    np.testing.assert_array_equal(line.get_xdata(), first["order"])
    np.testing.assert_array_equal(line.get_ydata(), first["value"])
    assert {"bound", "annealed importance sampling"} <= drawn_lines(shown["annealing (ours)"]).keys()
    bars = shown["all 10 matrices"].patches
    assert sorted(bar.get_height() for bar in bars) == [1, 2, 9, 10, 10]


def test_figure_3_without_chib_has_no_boxes():
    figure = figures.draw_evidence(made_up_evidence().query(f"kind != '{CHIB}'"), 5)
    assert_tidy(figure)
    assert "Chib" not in legend_texts(figure)


def test_figure_4_shows_all_orders_and_the_top():
    orders = made_up_orders({("olivetti_16", 1): 30})
    orders.loc[(orders["start"] == 1) & (orders["dataset"] == "olivetti_16"), "bound"] += 10
    titles = {"olivetti_16": "16 × 16", "olivetti_32": "32 × 32"}
    figure = figures.draw_orders(orders, PRINTED, titles)
    assert_tidy(figure)
    assert legend_texts(figure) == ["start 0", "start 1", "paper"]
    upper = panels(figure)["16 × 16 pixels: best with 30 templates"]
    own = orders.query("dataset == 'olivetti_16' and start == 1")
    line = drawn_lines(upper)["start 1"]
    np.testing.assert_array_equal(line.get_xdata(), own["order"])
    np.testing.assert_allclose(line.get_ydata(), own["bound"] / 1000)
    assert drawn_lines(upper)["paper"].get_xdata() == [27, 27]
    lower = figure.axes[2]
    low, high = lower.get_xlim()
    assert low < 27 < 30 < high < 100
    assert lower.get_ylim()[0] > upper.get_ylim()[0]


def test_figure_5_has_every_template_in_its_place():
    side, K = 4, 5
    rng = np.random.default_rng(0)
    W, H = rng.gamma(1.0, 1.0, (side * side, K)), rng.gamma(1.0, 5.0, (K, 3))
    matrix = CountMatrix.from_array(rng.poisson(W @ H) + 1)
    fits = [ShownFit(f"cemgil2009-{a:g}-{b:g}", f"({a:g}, {b:g})", 1.0, K, W * (1 + a), H) for a, b in SHAPES]
    bounds = made_up_bounds()
    figure = images.draw_templates(matrix, fits, bounds, "olivetti_16", 2)
    assert_tidy(figure)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[0].startswith("a = (10, 10)\nB = -500.0k\n")
    assert "the image" in titles
    pictures = [axis.images[0].get_array() for axis in figure.axes if axis.images]
    assert len(pictures) == 3 * 5 + 1
    weighted = 11 * W * H[:, 2]
    np.testing.assert_allclose(pictures[10], weighted.sum(axis=1).reshape(side, side))
    np.testing.assert_allclose(pictures[5][:4, 5:9], weighted[:, 1].reshape(side, side))
    np.testing.assert_array_equal(pictures[15], matrix.tallies[:, 2].reshape(side, side))


def test_a_mosaic_leaves_gaps_and_blanks():
    found = images.mosaic(np.arange(12.0).reshape(4, 3), 2)
    assert found.shape == (5, 5)
    np.testing.assert_array_equal(found[:2, 3:], [[1, 4], [7, 10]])
    assert np.isnan(found[2]).all()
    assert np.isnan(found[3:, 3:]).all()
    assert images.mosaic(np.zeros((4, 7)), 2).shape == (3 * 3 - 1, 3 * 3 - 1)
    assert images.mosaic(np.zeros((9, 2)), 3).shape == (3, 2 * 4 - 1)


def test_figure_6_shows_what_fills_the_patch():
    side, people = 4, 3
    rng = np.random.default_rng(0)
    frames = []
    for n in range(people):
        hidden = np.zeros((side, side), bool)
        hidden[1:3, 1:3] = True
        of_ways = {way: rng.gamma(5.0, 10.0, side**2) for way in WAYS}
        truth = rng.integers(1, 200, side**2)
        frames.append(
            pd.DataFrame(
                {"image": 10 * n, "pixel": range(side**2), "truth": truth, "hidden": hidden.ravel(), **of_ways}
            )
        )
    figure = images.draw_filled(pd.concat(frames), made_up_scores(), "olivetti_16", 1, 100)
    figure.draw_without_rendering()
    axes = figure.axes
    assert [axis.get_title() for axis in axes[:4]] == ["truth", "missing", "VB\n20.0 dB", "VB + ICM\n19.9 dB"]
    own = frames[1]
    filled_by_vb = axes[7 + 2].images[0].get_array().ravel()
    np.testing.assert_allclose(filled_by_vb, np.where(own["hidden"], own["vb"], own["truth"]))
    given = np.ma.filled(axes[7 + 1].images[0].get_array().astype(float), np.nan).ravel()
    assert (np.isnan(given) == own["hidden"]).all()
    of_templates = axes[-2]
    assert of_templates.get_xlabel() == "sparseness of templates"
    assert [len(line.get_xdata()) for line in of_templates.lines] == [3] * len(WAYS)


def test_figure_7_has_means_over_runs():
    scores = made_up_scores()
    titles = {"olivetti_16": "16 × 16", "olivetti_32": "32 × 32", "olivetti_64": "64 × 64"}
    scores = pd.concat([scores.assign(dataset=name) for name in titles])
    figure = figures.draw_scores(scores, titles)
    assert_tidy(figure)
    assert legend_texts(figure) == [*WAYS.values(), "mean of the pixel"]
    panel = panels(figure)["32 × 32 pixels"]
    np.testing.assert_allclose(drawn_lines(panel)["VB"].get_ydata(), [18, 20, 20])
    assert np.abs(drawn_lines(panel)["VB"].get_xdata() - [5, 25, 100]).max() < 3
    assert drawn_lines(panel)["mean of the pixel"].get_ydata()[0] == 17
    assert panel.get_xticks().tolist() == [5, 25, 100]


# --- What is made ----------------------------------------------------------------------------


def unasked(products):
    return [product.name for product in products if not product.on_request]


def test_without_photographs_the_rest_is_made_and_this_is_said(tmp_path, monkeypatch):
    found, plan = made([], tmp_path, monkeypatch)
    assert unasked(found.figures) == ["figure_3"]
    names = unasked(found.tables)
    assert names[-4:] == ["evidence", "claims", "claims_parts", "paper_numbers"]
    claims_table = next(table for table in found.tables if table.name == "claims")
    assert claims_table.needs(plan).keys() == {"estimates"}
    said = "\n".join(found.skipped)
    for figure in ("figure_4", "figure_5", "figure_6", "figure_7"):
        assert f"cemgil2009: {figure} is left out" in said
    assert "olivetti_faces (1.4 MB) is not here" in said
    assert "licence: none stated" in said


def test_with_photographs_everything_is_made(tmp_path, monkeypatch):
    found, plan = made(with_faces(tmp_path), tmp_path, monkeypatch)
    assert found.skipped == []
    assert unasked(found.figures) == [f"figure_{n}" for n in range(3, 8)]
    claims_table = next(table for table in found.tables if table.name == "claims")
    assert claims_table.needs(plan).keys() == {"estimates", "orders", "bounds", "scores"}
    every = [case for experiment in STUDY.experiments for case in experiment(plan)]
    chib = [case.columns["seed"] for case in every if case.columns.get("kind") == CHIB]
    assert {seed: chib.count(seed) for seed in plan.seeds if seed in chib} == dict.fromkeys((0, 1, 2), 50)
    ways = [case.columns for case in every if "way" in case.columns]
    assert len(ways) == 3 * 6 * 6 * len(WAYS)
    shown = [case.columns for case in experiments.shown_cases(plan)]
    assert [columns["way"] for columns in shown] == list(WAYS)
    assert all(columns in ways and columns.items() >= OPTIONS["figure_6"].items() for columns in shown)
    assert len(plan.unmasked_fits) == 20
    assert len(STUDY.fits_of(plan)) == len(set(STUDY.fits_of(plan))) == len(every) + 20


def test_a_fit_depends_on_its_own_options_alone(tmp_path, monkeypatch):
    def requests(change=lambda config: None):
        _, plan = made(["mirror"], tmp_path, monkeypatch, change)
        return {
            key: fit_jobs.request(key, plan.entry(key.method), plan.dataset_entry(key.dataset))
            for key in STUDY.fits_of(plan)
        }

    def change(config):
        config["methods"]["cemgil2009-order"]["settings"]["max_iter"] = 10
        study = config["studies"]["cemgil2009"]
        study["seeds"] = [0, 1]
        study["options"]["figure_3"]["orders"] = [5, 11]

    with_faces(tmp_path)
    before, after = requests(), requests(change)
    changed = {key.method for key, request in after.items() if before.get(key, request) != request}
    assert changed == {"cemgil2009-order-figure_4"}
    assert {key.K for key in after.keys() - before.keys()} == {11}


def test_figure_6_shows_what_figure_7_has(tmp_path, monkeypatch):
    def change(config):
        config["studies"]["cemgil2009"]["options"]["figure_6"]["order"] = 99

    with pytest.raises(ConfigError, match=r"figure_6\.order = 99: must be one of those of figure_7, 1, 5, 25"):
        made([], tmp_path, monkeypatch, change)


def test_a_dataset_that_is_unknown_is_named(tmp_path, monkeypatch):
    def change(config):
        config["studies"]["cemgil2009"]["options"]["figure_7"]["datasets"] = ["olivetti_12"]

    with pytest.raises(ConfigError, match=r"figure_7\.datasets = 'olivetti_12'.*olivetti_16"):
        made([], tmp_path, monkeypatch, change)


def test_choices_are_made_matrix_by_matrix():
    run = Results(5, made_up_evidence({(BOUND, 2): 3, (ANNEALED, 0): 6}))
    assert run.choices(BOUND) == {**dict.fromkeys(SEEDS, 5), 2: 3}
    assert run.choices(ANNEALED)[0] == 6
    assert run.choices(CHIB) == {0: 5, 1: 5}
