"""Threads of kernels, and processes that are forked from one that has them."""

import multiprocessing

import numpy as np
import pytest

import nbmf

V = (np.random.default_rng(0).random((60, 50)) < 0.3).astype(int)


def fit(threads):
    return nbmf.BetaDirVB(3, max_iter=5, random_state=0, threads=threads).fit(V).W_


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no system that forks")
def test_a_forked_process_fits_with_threads_after_its_parent_has():
    """OpenMP ends a child that asks for the threads of its parent; a pool would then wait for ever."""
    here = fit(2)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        np.testing.assert_array_equal(pool.map_async(fit, [2]).get(timeout=120)[0], here)
