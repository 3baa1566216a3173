"""Mutation check of the inference code: does some test fail if a single operator is wrong?

    python tests/programs/mutation.py

makes a fixed sample of one-place changes of each file in TESTS, runs the tests named there on a
copy of the tree with that change, and writes results/mutations.md. A change that no test notices
has to be declared in EQUIVALENT with the reason why it is none; any other ends in exit status 1.
"""

import argparse
import ast
import hashlib
import io
import itertools
import json
import math
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests", "benchmarks", "config", "workflow", "pyproject.toml")
MEMORY = 8 << 30  # bytes of address space: a wrong size shall not fill the machine

# Which tests run for a mutant of a file, the quickest first.
TESTS = {
    "families/beta_dirichlet/kernels/chain_layout.py": ["beta_dir_gibbs", "dir_dir_gibbs"],
    "families/beta_dirichlet/kernels/beta_dir_gibbs.py": ["beta_dir_draws", "beta_dir_gibbs"],
    "families/beta_dirichlet/kernels/beta_dir_moves.py": ["beta_dir_moves"],
    "families/beta_dirichlet/kernels/dir_dir_gibbs.py": ["dir_dir_draws", "dir_dir_gibbs"],
    "families/beta_dirichlet/kernels/relabelling.py": ["beta_dir_moves"],
    "numerics/urns.py": ["dir_dir_draws", "dir_dir_gibbs"],
    "numerics/row_lists.py": ["beta_dir_draws", "beta_dir_gibbs"],
    "numerics/random.py": ["seeds", "dir_dir_gibbs"],
    "numerics/variates.py": ["polya_gamma"],
    "numerics/normal_effects.py": ["normal_effects"],
    "numerics/polya_gamma.py": ["polya_gamma"],
    "numerics/cells.py": ["cvb0", "dir_dir_gibbs", "beta_dir_gibbs"],
    "families/beta_dirichlet/models/beta_dir.py": ["models"],
    "families/beta_dirichlet/models/dir_dir.py": ["models"],
    "families/beta_dirichlet/models/urns.py": ["models"],
    "likelihoods/bernoulli.py": ["metrics"],
    "plotting/labelled_factor.py": ["figures_overview", "figures_axes", "plot"],
    "posterior/groups.py": ["pages"],
    "likelihoods/tokens.py": ["metrics"],
    "likelihoods/gaussian.py": ["gaussian_likelihood"],
    "likelihoods/negative_binomial.py": ["logistic_estimators"],
    "likelihoods/poisson.py": ["counts"],
    "likelihoods/ordered.py": ["ordered_categories"],
    "data/sparse_counts.py": ["counts"],
    "data/sparse_matrix.py": ["sparse_matrix"],
    "data/sparse_pieces.py": ["sparse_reading"],
    "io/sparse_reading.py": ["sparse_reading"],
    "io/entry_lists.py": ["sparse_reading"],
    "io/formats.py": ["sparse_matrix", "readers"],
    "io/cells.py": ["readers", "tables_reading"],
    "evaluation/held_out.py": ["verdict"],
    "evaluation/sampled_entries.py": ["sparse_verdict"],
    "families/poisson_gamma/kernels/gamma_distributions.py": ["poisson_gamma"],
    "families/poisson_gamma/kernels/passes.py": ["poisson_gamma"],
    "families/poisson_gamma/kernels/sources.py": ["poisson_draws", "poisson_gibbs"],
    "families/poisson_gamma/observations.py": ["poisson_gamma"],
    "families/poisson_gamma/gamma_priors.py": ["poisson_gamma", "poisson_gibbs"],
    "families/poisson_gamma/hyperparameters.py": ["poisson_gibbs"],
    "families/poisson_gamma/poisson_gamma_variational.py": ["poisson_gamma"],
    "families/poisson_gamma/row_blocks.py": ["poisson_row_blocks"],
    "families/poisson_gamma/point.py": ["poisson_gamma"],
    "families/poisson_gamma/poisson_gamma_gibbs.py": ["poisson_gibbs"],
    "families/poisson_gamma/averages.py": ["poisson_gibbs"],
    "families/poisson_gamma/poisson_gamma_fold_in.py": ["poisson_gamma"],
    "families/poisson_gamma/annealing.py": ["poisson_evidence"],
    "families/poisson_gamma/chib.py": ["poisson_evidence"],
    "families/poisson_gamma/evidence.py": ["poisson_evidence"],
    "families/poisson_gamma/weights.py": ["poisson_evidence"],
    "inference/fold_in.py": ["every_fold_in", "logistic_estimators"],
    "inference/blocks.py": ["every_fold_in", "logistic_pca", "new_lines"],
    "families/logistic/line_means.py": ["new_lines"],
    "inference/loop.py": ["contracts", "every_fit"],
    "inference/stopping.py": ["stopping"],
    "data/masks.py": ["masks"],
    "families/logistic/logistic_pca.py": ["logistic_pca", "every_fit"],
    "families/buffet/buffet_priors.py": ["buffet_priors"],
    "families/buffet/shapes.py": ["buffet_priors"],
    "families/buffet/kernels/conditionals.py": ["buffet_conditionals", "buffet"],
    "families/buffet/kernels/entry_updates.py": ["buffet_conditionals", "buffet"],
    "families/buffet/kernels/gram.py": ["buffet_conditionals", "buffet"],
    "families/buffet/kernels/shared.py": ["buffet_conditionals", "buffet"],
    "families/buffet/kernels/keeping.py": ["buffet"],
    "families/buffet/kernels/columns.py": ["buffet_columns"],
    "families/buffet/kernels/scales.py": ["buffet_scales"],
    "families/buffet/moves.py": ["buffet_columns", "buffet_scales"],
    "families/buffet/kernels/sweeps.py": ["buffet"],
    "families/buffet/chain.py": ["buffet"],
    "families/buffet/buffet_fold_in.py": ["buffet_estimators"],
    "families/buffet/summaries.py": ["buffet_estimators"],
    "families/logistic/kernels/gibbs.py": ["logistic_gibbs"],
    "families/logistic/kernels/relevance.py": ["logistic_gibbs"],
    "families/logistic/kernels/groups.py": ["row_groups"],
    "families/logistic/gibbs_groups.py": ["row_groups"],
    "families/logistic/effect_hyperparameters.py": ["learned_effects", "logistic_gibbs", "row_groups"],
    "families/logistic/row_groups.py": ["row_groups", "grouped_estimators"],
    "families/logistic/group_distribution.py": ["grouped_estimators"],
    "families/logistic/grouped_rows.py": ["grouped_estimators"],
    "families/logistic/group_means.py": ["group_means"],
    "families/logistic/logistic_factors.py": ["grouped_estimators", "learned_effects", "logistic_estimators"],
    "families/logistic/logistic_gibbs.py": ["learned_effects", "logistic_gibbs"],
    "families/logistic/gibbs_state.py": ["logistic_gibbs", "logistic_cells"],
    "families/logistic/gibbs_cells.py": ["logistic_cells"],
    "families/logistic/cell_likelihoods.py": ["logistic_cells"],
    "families/logistic/kernels/entry_passes.py": ["logistic_cells"],
    "families/logistic/kernels/cut_points.py": ["ordinal"],
    "families/logistic/kernels/paths.py": ["dynamic_draws"],
    "families/logistic/kernels/path_passes.py": ["dynamic_draws"],
    "families/logistic/path_chain.py": ["dynamic_draws", "dynamic_estimators"],
    "families/logistic/path_state.py": ["dynamic_estimators"],
    "families/logistic/path_fold_in.py": ["dynamic_draws", "dynamic_estimators"],
    "families/logistic/moving_rows.py": ["dynamic_estimators"],
    "families/logistic/periods.py": ["dynamic_estimators"],
    "families/logistic/dynamic_factors.py": ["dynamic_estimators"],
    "families/logistic/dynamic_factor_gibbs.py": ["dynamic_estimators", "paths"],
    "families/logistic/dynamic_ordinal_factor_gibbs.py": ["dynamic_estimators", "paths"],
    "posterior/paths.py": ["paths"],
    "families/logistic/ordered_cells.py": ["ordinal"],
    "families/logistic/ordered_bound.py": ["ordinal_variational", "ordinal"],
    "families/logistic/category_sticks.py": ["category_sticks"],
    "families/logistic/cut_posterior.py": ["ordinal_variational"],
    "families/logistic/kernels/ordered_forms.py": ["ordinal_variational"],
    "families/logistic/new_columns.py": ["logistic_estimators", "ordinal"],
    "families/logistic/ordinal_factors.py": ["ordinal"],
    "families/logistic/ordinal_factor_gibbs.py": ["ordinal"],
    "families/logistic/ordinal_factor_vb.py": ["ordinal_variational", "ordinal"],
    "families/logistic/factors.py": ["logistic_gibbs", "learned_effects"],
    "families/logistic/logistic_fold_in.py": ["logistic_gibbs"],
    "families/logistic/logistic_estimator.py": [
        "learned_effects",
        "logistic_gibbs",
        "logistic_estimators",
        "logistic_cells",
    ],
    "families/logistic/kernels/factorized.py": ["logistic_variational"],
    "families/logistic/kernels/full.py": ["logistic_variational"],
    "families/logistic/kernels/tilting.py": ["logistic_quadratic"],
    "families/logistic/quadratic.py": ["logistic_quadratic", "logistic_variational"],
    "families/logistic/quadratic_counts.py": ["logistic_quadratic", "logistic_variational"],
    "families/logistic/gamma.py": ["logistic_quadratic"],
    "families/logistic/factor_posteriors.py": ["logistic_variational", "collective"],
    "families/logistic/learned_prior.py": ["logistic_variational", "group_means"],
    "families/logistic/matrices.py": ["logistic_variational", "collective"],
    "families/logistic/collective.py": ["collective"],
    "families/logistic/relations.py": ["collective"],
    "numerics/sigmoid.py": ["logistic_quadratic"],
    "families/logistic/logistic_variational.py": ["learned_effects", "logistic_estimators"],
    "families/beta_dirichlet/collapsed_gibbs.py": ["methods", "every_fit", "experiment", "learned_priors"],
    "families/beta_dirichlet/beta_dirichlet_variational.py": ["methods", "every_fit", "experiment"],
    "families/beta_dirichlet/kernels/beta_dir_cvb0.py": ["cvb0", "learned_priors"],
    "families/beta_dirichlet/kernels/dir_dir_cvb0.py": ["dir_dir_cvb0"],
    "numerics/interleaving.py": ["cvb0"],
    "numerics/lanes.py": ["lanes", "cvb0"],
    "families/beta_dirichlet/kernels/beta_dir_mean_field.py": ["mean_field"],
    "families/beta_dirichlet/kernels/fold_in_kernels.py": ["fold_in"],
    "families/beta_dirichlet/kernels/learning.py": ["learned_priors"],
    "families/beta_dirichlet/prior_learners.py": ["learned_priors"],
    "families/beta_dirichlet/beta_dirichlet_priors.py": ["learned_priors"],
    "families/beta_dirichlet/start_choice.py": ["orientation"],
    "families/beta_dirichlet/orientation.py": ["orientation"],
    "families/mixed_membership/kernels/lda.py": ["lda"],
    "families/mixed_membership/kernels/membership.py": ["membership"],
    "families/mixed_membership/densities.py": ["membership", "membership_models"],
    "families/mixed_membership/dirichlet.py": ["membership"],
    "families/mixed_membership/e_steps.py": ["membership"],
    "families/mixed_membership/membership_evaluation.py": ["membership_models", "membership"],
    "families/mixed_membership/saved_table_model.py": ["tables_components"],
    "evaluation/held_out_cells.py": ["tables_components"],
    "evaluation/component_choice.py": ["tables_components"],
    "posterior/distinguishing.py": ["tables_components"],
    "io/column_kinds.py": ["tables_reading"],
    "io/features.py": ["tables_reading"],
    "io/documents.py": ["tables_reading"],
    "cli/info/tables.py": ["tables_cli"],
    "cli/info/lists.py": ["tables_cli"],
    "cli/info/kinds.py": ["tables_cli"],
    "reporting/clustering_report.py": ["clustering_report", "tables_cli"],
    "plotting/feature_tables.py": ["tables_cli"],
    "nbmf_studies/shan2009/claims.py": ["shan2009"],
    "nbmf_studies/shan2009/measures.py": ["shan2009"],
    "nbmf_studies/shan2009/models.py": ["shan2009"],
    "nbmf_studies/shan2009/runs.py": ["shan2009"],
    "data/table_parts.py": ["masks", "shan2009"],
    "nbmf_studies/shan2009/criteria.py": ["shan2009"],
    "nbmf_studies/shan2009/reported_tables.py": ["shan2009"],
}

FAMILY = "families/beta_dirichlet"
POISSON = "families/poisson_gamma"
MEASURE_ZERO = "a uniform double hits the limit with probability 2^-53"
CUT_OFF = "made a whole number, which cuts the 0.05 off"
WHERE_IT_STARTS = "where the search starts; it walks both ways"
AT_THE_LAST = "u is below the last weight, but for rounding"
OF_A_PROPOSAL = "another proposal, or scale of its height, of as exact a rejection"
ONE_BY_ONE = "every empty component is a candidate by itself: the same distribution, slower"
AS_BEFORE = "a limit between whole numbers: the same ones lie below it"

# Changes that no test can notice, or should: (file, function, source line, mutation) -> reason.
# fmt: off
EQUIVALENT = {
    ("nbmf_studies/cemgil2009/reading_criteria.py", "_parts_after_fewer_updates",
     "near = abs(order - printed) <= NEAR * printed",
     "printed -> (printed + 0.05) (place 2)"): AS_BEFORE,
    ("nbmf_studies/cemgil2009/reading_criteria.py", "few_are_alike",
     'yield Part(f"{label} against {LABELS[ML]}", gain.low > -BETTER and gain.high < BETTER, text, way != VB_MEAN)',
     "< -> <="): "the end of an interval is never the limit itself",
    ("nbmf_studies/klami2015/reading_figures.py", "draw_patterns",
     "style.legend_below(figure, handles, 4)",
     "4 -> 5"): "how a legend is divided into lines, which is a choice",
    ("families/buffet/kernels/gram.py", "replace_singletons", "return K + proposed, True",
     "proposed -> (proposed + 0.05)"): "kept in an array of integers, which cuts the 0.05 off",
    ("nbmf_studies/shan2009/measures.py", "measure_flips", "count = round(level * step * held_out.size)",
     "held_out.size -> (held_out.size + 0.05)"): "rounded to a whole number",
    ("evaluation/held_out_cells.py", "folds",
     "ranks = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)  # in the column",
     "sizes -> (sizes + 0.05)"): CUT_OFF,
    ("io/column_kinds.py", "_infer_text_kind",
     "odd = next(t for n, t in zip(numbers, texts, strict=True) if n is None and t is not None)",
     "True -> False"): "there are as many numbers as texts",
    ("reporting/clustering_report.py", "_is_one_mixture",
     "return bool(is_dirichlet and model.prior_.sum() > OUTWEIGHS * cells / table.shape[0])",
     "> -> >="): "a learned sum hits the limit with probability 0",
    ("families/mixed_membership/kernels/lda.py", "digamma",
     "series = 1 / 240 - r * (1 / 132 - r * 691 / 32760)", "691 -> 692"):
        "3e-17 of a number above 2: below rounding",
    ("numerics/random.py", "", "STATE_WORDS = 4", "4 -> 5"):
        "the fifth word lies in the padding, which nobody reads",
    ("numerics/random.py", "generator_states",
     "for state, child in zip(states, children(seed, count), strict=True):", "True -> False"):
        "there are as many states as children",
    ("numerics/urns.py", "search",
     "k = min(np.uint64(u * (cumulative.size / cumulative[last])), last)", "min -> max"):
        "where the search starts; it walks both ways",
    ("numerics/urns.py", "search", "while k < last and u >= cumulative[k]:", "and -> or"):
        "it goes on to the last k, and the second loop walks back",
    ("numerics/urns.py", "search", "while k < last and u >= cumulative[k]:", ">= -> >"):
        MEASURE_ZERO,
    ("numerics/urns.py", "draw_from_urn", "if u >= others:", ">= -> >"): MEASURE_ZERO,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "",
     "MAX_TRIES = 16  # rejected components before the row list is used after all", "16 -> 17"):
        "both ways draw from exactly eq. (25)",
    (f"{FAMILY}/kernels/chain_layout.py", "ChainLayout.__init__",
     "self._generators = generator_states(seed, self._cells.n_blocks**2)", "2 -> 3"):
        "more streams than are used; the first ones are the same",
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_sweeps", "c = (b + r) % B", "+ -> -"):
        "the diagonals in another order: still disjoint, still every pair once",
    (f"{FAMILY}/models/beta_dir.py", "simulate", "V = (rng.random((F, N)) < W @ H).astype(np.int8)",
     "< -> <="): MEASURE_ZERO,
    (f"{FAMILY}/models/dir_dir.py", "simulate", "V = (rng.random((F, N)) < W @ H).astype(np.int8)",
     "< -> <="): MEASURE_ZERO,
    (f"{FAMILY}/models/urns.py", "log_rising",
     "if (prior == prior.flat[0]).all():  # counts repeat, so a table saves most of the work",
     "== -> !="): "the table is never used: slower, the same sum",
    ("numerics/urns.py", "search", "while k < last and u >= cumulative[k]:", "< -> <="):
        "u stays below the last sum",
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_sweep_block",
     "while new_z == new_c and tries < MAX_TRIES:", "and -> or"):
        "16 pairs are thrown away first: the same distribution, slower",
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_sweep_block",
     "while new_z == new_c and tries < MAX_TRIES:", "== -> !="):
        "the exact loop draws every pair: the same distribution, slower",
    ("data/masks.py", "draw_mask", "mask = draws < probability", "< -> <="):
        MEASURE_ZERO,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_draw_from_list", "while s < last and u >= weight[s]:",
     ">= -> >"): MEASURE_ZERO,
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_draw_from_weights", "if u < weight[k]:", "< -> <="):
        MEASURE_ZERO,
    ("numerics/cells.py", "", "MAX_BLOCKS = 16", "16 -> 17"):
        "the number of blocks is rounded down to a power of two",
    (f"{FAMILY}/kernels/beta_dir_mean_field.py", "", "START_COMPONENTS, START_ITERATIONS = 10, 100", "100 -> 101"):
        "where a chain starts; one update more hardly moves it",
    ("numerics/polya_gamma.py", "", "GAMMAS = 8  # of this sum", "8 -> 9"):
        "a closer approximation",
    ("numerics/polya_gamma.py", "polya_gamma_1", "if u < q:", "< -> <="): MEASURE_ZERO,
    ("numerics/polya_gamma.py", "polya_gamma_1", "if q >= BEYOND * y * y:", ">= -> >"):
        MEASURE_ZERO,
    ("numerics/polya_gamma.py", "polya_gamma", "if b <= 1.0 or b * math.exp(-abs(z)) < 1.0:",
     "* -> /"): "which of two right ways is taken",
    ("numerics/polya_gamma.py", "_one_passage", "if q * limit <= scale:", "<= -> <"): MEASURE_ZERO,
    ("numerics/polya_gamma.py", "polya_gamma_mean", "if abs(z) < 0.01:", "< -> <="):
        "both ways are right there",
    ("numerics/polya_gamma.py", "polya_gamma_variance", "if z < 0.1:", "< -> <="):
        "both ways are right there",
    ("numerics/variates.py", "_beyond_tail", "if 2.0 * y > x * x:", "> -> >="): MEASURE_ZERO,
    ("numerics/variates.py", "standard_gamma", "if shape < 1.0:", "< -> <="):
        "U times a gamma number of shape 2 has the distribution of one of shape 1",
    ("numerics/variates.py", "standard_gamma", "if v <= 0.0:", "<= -> <"): MEASURE_ZERO,
    ("numerics/variates.py", "standard_gamma", "if u < 1.0 - 0.0331 * x * x * x * x:", "< -> <="):
        MEASURE_ZERO,
    ("numerics/variates.py", "standard_gamma",
     "if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):", "< -> <="): MEASURE_ZERO,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_column_counts",
     "counts = np.bincount(z * np.int64(2 * N) + column_and_value, minlength=2 * N * K)", "N -> (N + 0.05)"):
        CUT_OFF,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_change_count",
     "counts[k, zero + v] += step", "step -> (step + 0.05)"): CUT_OFF,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_draw_from_list",
     "s, last = np.uint64(0), m - one", "m -> (m + 0.05)"):
        AT_THE_LAST,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_draw_from_list",
     "s, last = np.uint64(0), m - one", "one -> (one + 0.05)"): AS_BEFORE,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_draw_fresh", "while k < K - one:",
     "one -> (one + 0.05)"): AS_BEFORE,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_sweep_block", "B = np.uint64(block_start.size - 1)",
     "block_start.size -> (block_start.size + 0.05)"): CUT_OFF,
    (f"{FAMILY}/kernels/beta_dir_gibbs.py", "_sweeps",
     "part = places * np.uint64(b) // np.uint64(B), places * np.uint64(b + 1) // np.uint64(B)",
     "b -> (b + 0.05)"): CUT_OFF,
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_sweep_block", "B = np.uint64(block_start.size - 1)",
     "block_start.size -> (block_start.size + 0.05)"): CUT_OFF,
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_change_row", "length[f] = end + 1",
     "end -> (end + 0.05)"): CUT_OFF,
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_draw_one",
     "s, last = np.uint64(0), m - np.uint64(1)", "m -> (m + 0.05)"): AT_THE_LAST,
    (f"{FAMILY}/kernels/dir_dir_gibbs.py", "_draw_one",
     "k, last = np.uint64(0), np.uint64(gamma.size - 1)", "gamma.size -> (gamma.size + 0.05)"):
        CUT_OFF,
    (f"{POISSON}/kernels/gamma_distributions.py", "",
     "C4, C5 = -5509121 / 1393459200, 2709398569 / 367873228800", "1393459200 -> 1393459201"):
        "3e-19 of the number: below rounding",
    (f"{POISSON}/kernels/gamma_distributions.py", "exp_digamma", "if x >= SERIES_FROM:", ">= -> >"):
        "both ways give exp Ψ(8)",
    (f"{POISSON}/kernels/sources.py", "component",
     "zero, one, step, last = np.uint64(0), np.uint64(1), np.uint64(LANES), np.uint64(K - 1)",
     "K -> (K + 0.05)"): CUT_OFF,
    (f"{POISSON}/kernels/sources.py", "component",
     "block, blocks = zero, np.uint64(sums.size - 1)", "sums.size -> (sums.size + 0.05)"): CUT_OFF,
    (f"{POISSON}/kernels/sources.py", "positive_poisson",
     "if u < 1.0 - 0.5 * r:  # P(1) = r / (e^r - 1) is larger: no need to compute it",
     "r -> (r + 0.05)"): "a shortcut that is taken less often",
    (f"{POISSON}/kernels/sources.py", "large_poisson",
     "b = 0.931 + 2.53 * root",
     "root -> (root + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_poisson",
     "a = -0.059 + 0.02483 * b",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_poisson",
     "inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_poisson",
     "inside = 0.9277 - 3.6224 / (b - 2.0)",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "binomial",
     "if n * p >= LONGEST:",
     "n -> (n + 0.05)"): "which of two right ways is taken",
    (f"{POISSON}/kernels/sources.py", "binomial",
     "if n * p >= LONGEST:",
     "p -> (p + 0.05)"): "which of two right ways is taken",
    (f"{POISSON}/kernels/sources.py", "binomial",
     "inverse = INVERSE[drawn] if drawn < INVERSE.size else 1.0 / drawn",
     "drawn -> (drawn + 0.05)"): "129 of a mean below ten: never",
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "root = math.sqrt(n * p * (1.0 - p))",
     "n -> (n + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "b = 1.15 + 2.53 * root",
     "root -> (root + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "a = -0.0873 + 0.0248 * b + 0.01 * p",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "a = -0.0873 + 0.0248 * b + 0.01 * p",
     "p -> (p + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "inside = 0.92 - 4.2 / b",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "alpha = (2.83 + 5.1 / b) * root",
     "b -> (b + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "alpha = (2.83 + 5.1 / b) * root",
     "root -> (root + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "mode = math.floor((n + 1) * p)",
     "n -> (n + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "at_mode = math.lgamma(mode + 1.0) + math.lgamma(n - mode + 1.0)",
     "mode -> (mode + 0.05) (place 2)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "x = math.floor((2.0 * a / margin + b) * u + n * p + 0.5)",
     "n -> (n + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "height = math.log(v * alpha / (a / (margin * margin) + b))",
     "alpha -> (alpha + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "if height <= at_mode - at_x + (x - mode) * log_odds:",
     "at_x -> (at_x + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "if height <= at_mode - at_x + (x - mode) * log_odds:",
     "x -> (x + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "large_binomial",
     "if height <= at_mode - at_x + (x - mode) * log_odds:",
     "mode -> (mode + 0.05)"): OF_A_PROPOSAL,
    (f"{POISSON}/kernels/sources.py", "_draw_block",
     "if x <= FEW * K:",
     "FEW -> (FEW + 0.05)"): "which of two right ways is taken",
    (f"{POISSON}/kernels/sources.py", "_draw_block",
     "if x <= FEW * K:",
     "K -> (K + 0.05)"): "which of two right ways is taken",
    ("families/logistic/collective.py", "CollectiveFactorVB._learn",
     "for side, coordinate in zip((matrix.rows, matrix.columns), self._layout.effects(name), strict=True)",
     "True -> False"):
        "a matrix has two sides and two effects",
    ("families/logistic/collective.py", "CollectiveFactorVB._learn",
     "for matrix, (name, one) in zip(ascent.matrices, relations.items(), strict=True):",
     "True -> False"): "there are as many matrices as relations",
    ("families/logistic/collective.py", "_Running", "resumable = False", "False -> True"):
        "nobody gives it a checkpoint",
    ("families/logistic/learned_prior.py", "LearnedPrior.__init__",
     "self.center_variance = 0.0 if coordinates.carrier is None else INTERCEPT_VARIANCE",
     "INTERCEPT_VARIANCE -> (INTERCEPT_VARIANCE + 0.05)"): "where q(m) starts, before its first update",
    ("families/logistic/gibbs_cells.py", "_lists",
     "ends = np.searchsorted(start, np.linspace(0, start[-1], min(MAX_BLOCKS, n_rows) + 1)[1:-1])",
     "min -> max"): "lines cut into blocks in another way: other streams, the same distribution",
    ("families/logistic/kernels/relevance.py", "",
     "TRIES = 100  # then it stays where it is, which rounding alone can bring about",
     "100 -> 101"): "which rounding alone can bring about",
    ("families/logistic/kernels/relevance.py", "draw_scales",
     "if _log_density_of_log_scale(x, *arguments) > level:", "> -> >="): MEASURE_ZERO,
    ("families/logistic/kernels/relevance.py", "draw_rotation", "if angle < 0.0:", "< -> <="):
        MEASURE_ZERO,
    ("inference/blocks.py", "in_blocks",
     "at_once = max(1, (numbers_at_once or NUMBERS_AT_ONCE) // max(numbers_per_row, 1))", "max -> min"):
        "a row at a time: slower, the same of each",
    ("families/buffet/kernels/conditionals.py", "log_scale_density",
     "return power * t - 0.5 * (math.exp(2.0 * t) * a + math.exp(-2.0 * t) * b)",
     "t -> (t + 0.05)"): "a constant of the log density, of which differences are taken",
    ("families/buffet/kernels/conditionals.py", "make_room", "order[k] = order[K]",
     "order[K] -> (order[K] + 0.05)"): CUT_OFF,
    ("families/buffet/kernels/conditionals.py", "make_room", "feature_counts[k] = feature_counts[K]",
     "feature_counts[K] -> (feature_counts[K] + 0.05)"): CUT_OFF,
    ("numerics/urns.py", "search", "last = np.uint64(cumulative.size - 1)",
     "cumulative.size -> (cumulative.size + 0.05)"): CUT_OFF,
    ("numerics/urns.py", "search",
     "k = min(np.uint64(u * (cumulative.size / cumulative[last])), last)",
     "u -> (u + 0.05)"): WHERE_IT_STARTS,
    ("numerics/urns.py", "search",
     "k = min(np.uint64(u * (cumulative.size / cumulative[last])), last)",
     "cumulative.size -> (cumulative.size + 0.05)"): WHERE_IT_STARTS,
    ("numerics/urns.py", "search",
     "k = min(np.uint64(u * (cumulative.size / cumulative[last])), last)",
     "cumulative[last] -> (cumulative[last] + 0.05)"): WHERE_IT_STARTS,
    ("families/buffet/kernels/scales.py", "scale_all",
     "if math.log(1.0 - uniform(generator)) >= gain:",
     ">= -> >"): MEASURE_ZERO,
    ("families/buffet/shapes.py", "slice_step",
     "low, high = (x, high) if x < now else (low, x)",
     "< -> <="): MEASURE_ZERO,
    ("plotting/map_names.py", "",
     "SECTORS = 8  # directions, of which each has names: the farthest points may all be in one group",
     "8 -> 9"): "in how many directions names are looked for, which is a choice",
    ("nbmf_studies/cemgil2009/reading_figures.py", "_look_above",
     "axis.set_ylim(bounds.max() - 6 * spread, bounds.max() + 0.5 * spread)",
     "0.5 -> 1.5"): "how much room there is above a line, which is a choice",
    ("nbmf_studies/lumbreras2020/figure_6.py", "_label_groups",
     "gap = LABEL_GAP / 72 / side * runs[-1].stop  # in rows",
     "72 -> 73"): "labels are a hundredth nearer to each other, which is a choice",
    ("nbmf_studies/rivals/item_response.py", "ItemResponse._solve",
     "slopes[0, falls] *= -1.0",
     "0 -> 1"): "of the package mirt, which is no part of the tests; where it is there, an index out of range",
    ("nbmf_studies/shan2009/figures.py", "draw_flip_panels",
     "axis.xaxis.set_major_locator(MaxNLocator(5))",
     "5 -> 6"): "how many numbers an axis has, which is a choice",
    ("nbmf_studies/shan2009/reading_tables.py", "several_starts",
     "for (dataset, difference), p in zip(means.items(), adjusted_p_values(means.values()), strict=True):",
     "True -> False"): "there are as many p as differences",
    (f"{FAMILY}/kernels/beta_dir_moves.py", "_are_alike",
     "if gamma[k] != gamma[0] or prior[0, k] != prior[0, 0] or prior[1, k] != prior[1, 0]:",
     "!= -> =="): ONE_BY_ONE,
    (f"{FAMILY}/kernels/beta_dir_moves.py", "_are_alike",
     "if gamma[k] != gamma[0] or prior[0, k] != prior[0, 0] or prior[1, k] != prior[1, 0]:",
     "!= -> == (place 2)"): ONE_BY_ONE,
    (f"{FAMILY}/kernels/beta_dir_moves.py", "_are_alike",
     "if gamma[k] != gamma[0] or prior[0, k] != prior[0, 0] or prior[1, k] != prior[1, 0]:",
     "!= -> == (place 3)"): ONE_BY_ONE,
    (f"{FAMILY}/kernels/beta_dir_moves.py", "_are_alike", "return True", "True -> False"): ONE_BY_ONE,
}
# fmt: on


# --- Mutants ---------------------------------------------------------------------------------

SWAPS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "%"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitXor: ("^", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
SHIFT = "{} + 0.05"  # of a count, a prior, a weight: what a wrong distribution may differ by
SHIFTED = (ast.Add, ast.Sub, ast.Mult, ast.Div)
# Whole numbers that kernels store in arrays of whole numbers, which cuts 0.05 off.
WHOLE = {"new", "new_z", "new_c", "end", "last", "k", "s", "t", "_z", "slot", "component", "assignments"}


class Mutant(NamedTuple):
    """One change: `old` at row and column of the file becomes `new`."""

    function: str
    kind: str
    row: int
    column: int
    old: str
    new: str
    line: str
    mutation: str


class Finder:
    """Finds the mutants of one source text.

    Docstrings, type hints, decorators and what is raised stay as they are. Names and subscripts are
    shifted where a number is made of them, in arithmetic, in what is chosen, added up or stored in
    an array; not inside of subscripts, whose indices are whole numbers.
    """

    def __init__(self, source):
        self._lines = source.splitlines()
        self._tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        self._found = []
        tree = ast.parse(source)
        subscripts = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
        self._in_index = {id(node) for index in subscripts for node in ast.walk(index)}
        self._visit(tree, "")

    def mutants(self):
        """Return the mutants in the order of the text, equal ones of a line numbered."""
        named, seen = [], Counter()
        for function, kind, (row, column), old, new in sorted(self._found, key=lambda m: m[2]):
            mutation = f"swap {old}" if kind == "index" else f"{old} -> {new}"
            seen[row, mutation] += 1
            if seen[row, mutation] > 1:
                mutation += f" (place {seen[row, mutation]})"
            line = self._lines[row - 1].strip()
            named.append(Mutant(function, kind, row, column, old, new, line, mutation))
        return named

    def _visit(self, node, function):
        if isinstance(node, (ast.Raise, ast.JoinedStr)):
            return
        children = ast.iter_child_nodes(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            function = f"{function}.{node.name}".lstrip(".")
            children = node.body
            if isinstance(node, ast.FunctionDef):
                defaults = [*node.args.defaults, *node.args.kw_defaults]
                children = [default for default in defaults if default is not None] + node.body
        elif isinstance(node, ast.AnnAssign):
            children = [node.value] if node.value else []
        self._examine(node, function)
        for child in children:
            self._visit(child, function)

    def _examine(self, node, function):
        def add(kind, place, old, new):
            self._found.append((function, kind, place, old, new))

        def add_operator(kind, operator, left, right, suffix=""):
            old, new = (each + suffix for each in SWAPS.get(type(operator), ("", "")))
            if old != suffix:
                add(kind, self._operator(old, self._end(left), self._start(right)), old, new)

        for operand in self._shifted(node):
            old = ast.get_source_segment("\n".join(self._lines), operand)
            if "\n" not in old:
                add("shift", self._start(operand), old, f"({SHIFT.format(old)})")
        if isinstance(node, ast.BinOp):
            add_operator("arithmetic", node.op, node.left, node.right)
        elif isinstance(node, ast.AugAssign):
            add_operator("update", node.op, node.target, node.value, suffix="=")
        elif isinstance(node, ast.Compare):
            operands = itertools.pairwise([node.left, *node.comparators])
            for operator, (left, right) in zip(node.ops, operands, strict=True):
                add_operator("comparison", operator, left, right)
        elif isinstance(node, ast.BoolOp):
            for left, right in itertools.pairwise(node.values):
                add_operator("logic", node.op, left, right)
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            add("logic", self._start(node), str(node.value), str(not node.value))
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            old = ast.get_source_segment("\n".join(self._lines), node)
            new = other_number(node.value)
            if new != node.value:  # a float may be too large for its neighbour
                add("number", self._start(node), old, repr(new))
        elif isinstance(node, ast.Call):
            self._examine_call(node.func, add)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            self._examine_indices(node.slice.elts, add)

    def _shifted(self, node):
        """Return the operands of a node that are shifted."""
        if id(node) in self._in_index:
            return []
        operands = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, SHIFTED):
            operands = [node.left, node.right]
        elif isinstance(node, ast.IfExp):
            operands = [node.body, node.orelse]
        elif isinstance(node, ast.AugAssign):
            operands = [node.value]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            stored = getattr(node.value, "value", node.value)  # the array, of a subscript
            name = getattr(node.value, "attr", getattr(stored, "id", None))
            operands = [node.value] if name not in WHOLE else []
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "cumsum":
            operands = node.args
        return [x for x in operands if isinstance(x, ast.Name | ast.Subscript | ast.Attribute)]

    def _examine_call(self, called, add):
        name = getattr(called, "id", getattr(called, "attr", None))
        if name in EXTREMES:
            row, column = self._end(called)
            add("extreme", (row, column - len(name)), name, EXTREMES[name])

    def _examine_indices(self, indices, add):
        for one, other in itertools.pairwise(indices):
            plain = not {type(one), type(other)} & {ast.Slice, ast.Constant, ast.Starred}
            (row, start), (row_after, end) = self._start(one), self._end(other)
            if plain and row == row_after:
                first, second = (ast.unparse(index) for index in (one, other))
                add("index", (row, start), self._lines[row - 1][start:end], f"{second}, {first}")

    def _operator(self, text, after, before):
        return next(t.start for t in self._tokens if t.string == text and after <= t.start < before)

    def _start(self, node):
        return node.lineno, self._characters(node.lineno, node.col_offset)

    def _end(self, node):
        return node.end_lineno, self._characters(node.end_lineno, node.end_col_offset)

    def _characters(self, row, n_bytes):
        return len(self._lines[row - 1].encode()[:n_bytes].decode())


def other_number(value):
    """Return 0 for 1 and otherwise the next number, of the same type."""
    return value * 0 if value == 1 else value + 1


def apply(mutant, source):
    """Return the source text with the change."""
    lines = source.splitlines(keepends=True)
    line = lines[mutant.row - 1]
    after = mutant.column + len(mutant.old)
    assert line[mutant.column : after] == mutant.old
    lines[mutant.row - 1] = line[: mutant.column] + mutant.new + line[after:]
    return "".join(lines)


def sample(mutants, size, seed):
    """Return a fixed sample: functions by the root of their size, the kinds of change in turn.

    The order of the candidates is a hash of their text, so that an edit elsewhere in the file
    changes little.
    """

    def rank(mutant):
        text = f"{seed} {mutant.function} {mutant.line} {mutant.mutation}"
        return hashlib.sha256(text.encode()).digest(), mutant.row

    waiting, chosen = sorted(mutants, key=rank), []
    weight = {f: math.sqrt(n) for f, n in Counter(m.function for m in mutants).items()}
    functions, kinds = Counter(), Counter()
    while waiting and len(chosen) < size:
        turn = {f: (2 * functions[f] + 1) / weight[f] for f in weight}
        best = min(waiting, key=lambda m: (turn[m.function], kinds[m.kind]))
        waiting.remove(best)
        chosen.append(best)
        functions[best.function] += 1
        kinds[best.kind] += 1
    return sorted(chosen, key=lambda m: (m.row, m.column))


# --- Runs ------------------------------------------------------------------------------------


class Tree:
    """A copy of the sources and tests, in which one file at a time is changed."""

    def __init__(self, folder, patience):
        self._folder, self._patience = Path(folder), patience
        for name in COPIED:
            source, target = ROOT / name, self._folder / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)

    def source(self, file):
        """Return the text of a file of the package."""
        return self._path(file).read_text(encoding="utf-8")

    def test_sources(self, tests):
        """Return the texts that decide, besides a mutant itself, whether it is noticed."""
        names = "naive", "ladder", "bisection", *(f"test_{test}" for test in tests)
        return [self._test_file(name).read_text("utf-8") for name in names]

    def _test_file(self, name):
        """Return the path of a file of tests, whichever folder it is in."""
        (path,) = (self._folder / "tests").rglob(f"{name}.py")
        return path

    def outcome(self, file, source, tests):
        """Run tests with the file changed to `source`; return (how it ended, the test)."""
        original = self.source(file)
        self._path(file).write_text(source, encoding="utf-8")
        try:
            return self._run_tests([str(self._test_file(f"test_{name}")) for name in tests])
        finally:
            self._path(file).write_text(original, encoding="utf-8")

    def _path(self, file):
        in_library = not file.startswith("nbmf_studies/")
        return self._folder / "src" / ("nbmf" if in_library else "") / file

    def _run_tests(self, files):
        command = [sys.executable, "-m", "pytest", "-x", "-v", "-m", "not long and not workflow"]
        command += ["-p", "no:cacheprovider", f"--basetemp={self._folder / 'scratch'}", *files]
        environment = os.environ | {
            "PYTHONPATH": str(self._folder / "src"),
            "NUMBA_CACHE_DIR": str(self._folder / "compiled"),
            "PYTHONDONTWRITEBYTECODE": "1",  # a changed file may have the size and time of another
            "PYTHONUNBUFFERED": "1",
            "COLUMNS": "400",
        }
        run = subprocess.Popen(
            command,
            cwd=self._folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limit_resources,
        )
        output, stalled = self._listen(run)
        return outcome_of(output, run.wait(), stalled)

    def _listen(self, run):
        """Return the output, and whether the run was ended because nothing came for so long."""
        characters, output = queue.SimpleQueue(), []

        def read():
            while character := run.stdout.read(1):
                characters.put(character)
            characters.put("")

        threading.Thread(target=read, daemon=True).start()
        while True:
            try:
                character = characters.get(timeout=self._patience)
            except queue.Empty:
                os.killpg(run.pid, signal.SIGKILL)
                return "".join(output), True
            if not character:
                return "".join(output), False
            output.append(character)


def limit_resources():
    """Bound the memory of a run, and let it leave no core file."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def outcome_of(output, status, stalled):
    """Return how a run of pytest -v ended: (survived, killed, crashed or timed out; the test)."""
    if status == 0:
        return "survived", ""
    summary = re.findall(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", output, re.MULTILINE)
    if summary:
        return "killed", summary[-1]
    ends = r"(?: PASSED.*| SKIPPED.*| Fatal Python error.*| *)$"
    started = re.findall(rf"^(tests/\S+::.*?){ends}", output, re.MULTILINE)
    test = started[-1] if started else "the collection of tests"
    if stalled:
        return "timed out", test
    return "crashed", test


class Record(NamedTuple):
    """A mutant of a file and what became of it."""

    file: str
    mutant: Mutant
    outcome: str
    test: str

    @property
    def reason(self):
        """Why a survivor is none, if that is declared."""
        mutant = self.mutant
        return EQUIVALENT.get((self.file, mutant.function, mutant.line, mutant.mutation))


def examine(file, options, known):
    """Return the records of the sampled mutants of one file."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        tree, tests = Tree(folder, options.patience), TESTS[file]
        source = tree.source(file)
        found = Finder(source).mutants()
        shifts = [mutant for mutant in found if mutant.kind == "shift"]
        others = [mutant for mutant in found if mutant.kind != "shift"]
        chosen = []
        for some, least in (others, options.per_file), (shifts, options.shifts):
            size = max(least, len(some) // 10) if least else 0
            chosen += sample(some, size, options.seed)
        chosen.sort(key=lambda mutant: (mutant.row, mutant.column))
        print(f"{file}: {len(chosen)} of {len(found)} mutants", flush=True)
        changed = {mutant: apply(mutant, source) for mutant in chosen}
        key = {mutant: digest([changed[mutant], *tree.test_sources(tests)]) for mutant in chosen}
        if not known.keys() >= set(key.values()):
            outcome = tree.outcome(file, source, tests)
            if outcome[0] != "survived":
                sys.exit(f"{file}: the unchanged code does not pass: {outcome}")
        records = []
        for mutant in chosen:
            if key[mutant] not in known:
                known[key[mutant]] = tree.outcome(file, changed[mutant], tests)
                save(options.records, known)
            records.append(Record(file, mutant, *known[key[mutant]]))
            print(f"  {mutant.line}   [{mutant.mutation}]   {records[-1][2:]}", flush=True)
        return records


def digest(texts):
    """Return a checksum of several texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def save(path, known):
    """Write the outcomes so far, if asked to."""
    if path:
        path.write_text(json.dumps(known), encoding="utf-8")


# --- Report ----------------------------------------------------------------------------------

HEADER = """# Mutation check

Does some test fail if a single operator of the inference code is wrong?
`tests/programs/mutation.py` makes one-place changes (operators, comparisons, numbers, `min`/`max`,
`and`/`or`, swapped indices, 0.05 added to a number), runs the tests of that file on a copy of the
tree with the change, and writes this page:

    {command}

Of each file it takes a fixed sample of that many (of those that add 0.05 one of their own), or of
a tenth of all mutants if that is more.
A mutant is *killed* if a test fails, *crashed* if the interpreter dies, *timed out* if a test
hangs; *equivalent* if no test notices it and none should, for the reason given.

{totals}
"""


def report(records, options):
    """Return the page as Markdown."""
    kinds = ("killed", "crashed", "timed out", "equivalent", "survived")
    rows = [["file", "mutants", *kinds], ["---"] + ["--:"] * 6]
    counts = {}
    for record in records:
        counts.setdefault(record.file, Counter())[final(record)] += 1
    for file, count in counts.items():
        rows.append([file, count.total(), *(count[kind] for kind in kinds)])
    total = sum(counts.values(), Counter())
    rows.append(["all", total.total(), *(total[kind] for kind in kinds)])
    numbers = f"--per-file {options.per_file} --shifts {options.shifts} --seed {options.seed}"
    command = f"python tests/programs/mutation.py {numbers}"
    parts = [HEADER.format(command=command, totals=table(rows))]
    for file in counts:
        rows = [["function", "line", "mutation", "noticed by, or why not"], ["---"] * 4]
        for record in (record for record in records if record.file == file):
            mutant = record.mutant
            place = code(mutant.function or "(module)")
            rows.append([place, code(mutant.line), code(mutant.mutation), remark(record)])
        parts.append(f"## {file}\n\n{table(rows)}\n")
    return "\n".join(parts)


def final(record):
    """Return the outcome, with declared survivors set apart."""
    return "equivalent" if record.outcome == "survived" and record.reason else record.outcome


def remark(record):
    """Return the last cell of a row of the report."""
    if record.outcome == "survived":
        return f"equivalent: {record.reason}" if record.reason else "**survived**"
    test = code(record.test.removeprefix("tests/"))
    return test if record.outcome == "killed" else f"{record.outcome} in {test}"


def code(text):
    """Return text as code inside a table."""
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(rows):
    """Return rows as a Markdown table."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def main():
    """Examine the files, write the page, and say whether a mutant survived."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--files",
        nargs="+",
        choices=TESTS,
        default=list(TESTS),
        metavar="FILE",
        help="files below src/nbmf, or nbmf_studies/... (all)",
    )
    parser.add_argument("--per-file", type=int, default=8, help="mutants of a file (8), at least a tenth of all it has")
    parser.add_argument("--shifts", type=int, default=8, help="mutants of a file that add 0.05 (8), likewise")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--patience", type=float, default=60, help="seconds without output that count as a hang (60)")
    parser.add_argument("--records", type=Path, help="keeps finished mutants for a second run")
    parser.add_argument("--report", type=Path, default=ROOT / "results" / "mutations.md")
    options = parser.parse_args()
    known = {}
    if options.records and options.records.exists():
        known = json.loads(options.records.read_text(encoding="utf-8"))
    records = [record for file in options.files for record in examine(file, options, known)]
    options.report.write_text(report(records, options), encoding="utf-8")
    survivors = [record for record in records if final(record) == "survived"]
    print(f"{len(records)} mutants, {len(survivors)} of them survived without a reason")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
