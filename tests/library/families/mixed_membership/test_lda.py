"""LDA: the digamma function, and the fit beside scikit-learn's, which is the independent twin."""

import numpy as np
import pytest
import scipy.special
from numpy.testing import assert_allclose
from sklearn.decomposition import LatentDirichletAllocation

import nbmf
from nbmf.families.mixed_membership.kernels import lda
from nbmf.seeds import children, seed_sequence

RNG = np.random.default_rng(11)


def documents_of_two_kinds(F=40, N=60):
    """Return V whose columns each mix two groups of rows; a tenth of the entries is missing."""
    profiles = np.where(np.arange(F)[:, None] < F // 2, [0.6, 0.1], [0.1, 0.6])
    V = (RNG.random((F, N)) < profiles @ RNG.dirichlet([0.5, 0.5], N).T).astype(np.int8)
    V[RNG.random((F, N)) < 0.1] = -1
    return V


V = documents_of_two_kinds()


def test_digamma():
    x = np.concatenate([np.geomspace(1e-8, 1e8, 500), np.arange(1, 40) / 4])
    found = np.array([lda.digamma(value) for value in x])
    assert_allclose(found, scipy.special.digamma(x), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("K", [1, 2, 4, 9])
def test_a_fit_is_that_of_scikit_learn(K):
    seed = seed_sequence("lda", K)
    fitted = nbmf.LDA(K, max_iter=12, random_state=seed).fit(V)
    peer = LatentDirichletAllocation(K, max_iter=12, random_state=int(children(seed, 1)[0].generate_state(1)[0]))
    shares = peer.fit_transform((V.T == 1).astype(float))
    assert_allclose(fitted.topic_counts_, peer.components_.T, rtol=1e-6, atol=1e-7)
    assert_allclose(fitted.H_, shares.T, rtol=1e-6, atol=1e-7)
    assert_allclose(fitted.W_.sum(axis=0), 1.0)
    assert_allclose(fitted.expectation_, fitted.W_ @ fitted.H_)


def test_new_columns_are_those_of_scikit_learn_given_the_topics():
    """Other documents than those of the fit; those of the fit get the shares that they have."""
    new = documents_of_two_kinds(N=12)
    seed = seed_sequence("lda", "new")
    fitted = nbmf.LDA(3, max_iter=12, random_state=seed).fit(V)
    peer = LatentDirichletAllocation(3, max_iter=12, random_state=int(children(seed, 1)[0].generate_state(1)[0]))
    peer.fit((V.T == 1).astype(float))
    assert_allclose(fitted.transform_columns(new), peer.transform((new.T == 1).astype(float)).T, rtol=1e-6, atol=1e-7)
    assert_allclose(fitted.predict_columns(new), fitted.W_ @ fitted.transform_columns(new))
    np.testing.assert_array_equal(fitted.transform_columns(V), fitted.H_)


def test_every_token_is_in_one_topic():
    counts = nbmf.LDA(3, random_state=0).fit(V).topic_counts_
    assert_allclose(counts.sum(axis=1) - 1.0, (V == 1).sum(axis=1), rtol=1e-9)


def test_a_column_without_tokens_has_the_prior():
    empty = V.copy()
    empty[:, 5] = np.resize([0, -1], len(V))
    assert_allclose(nbmf.LDA(4, random_state=0).fit(empty).H_[:, 5], 0.25)


def test_the_groups_are_found():
    W = nbmf.LDA(2, max_iter=50, random_state=0).fit(V).W_
    first, second = W[:20].sum(axis=0), W[20:].sum(axis=0)
    assert {np.argmax(first), np.argmax(second)} == {0, 1}
    assert max(first.max(), second.max()) > 0.8


def test_tokens_of_documents():
    words, starts = lda.tokens(np.array([[1, 0, -1], [1, 0, 1], [0, -1, 1]], np.int8))
    assert (words.tolist(), starts.tolist()) == ([0, 1, 1, 2], [0, 2, 2, 4])


def test_documents_are_folded_in_as_scikit_learn_does():
    estimator = nbmf.LDA(3, max_iter=50, random_state=0).fit(V)
    peer = LatentDirichletAllocation(3)
    peer.components_ = estimator.topic_counts_.T.copy()
    totals = peer.components_.sum(axis=1, keepdims=True)
    peer.exp_dirichlet_component_ = np.exp(scipy.special.digamma(peer.components_) - scipy.special.digamma(totals))
    peer.doc_topic_prior_ = 1 / 3
    new = (V[:, :4] == 1).astype(float)
    assert_allclose(estimator.transform_columns(new), peer.transform(new.T).T)
    assert_allclose(estimator.topic_counts_ / estimator.topic_counts_.sum(axis=0), estimator.W_)
