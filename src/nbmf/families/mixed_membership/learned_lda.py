"""LDA as maximum likelihood has it, with α learned, and Fast LDA (Shan and Banerjee 2009)."""

from typing import ClassVar

from nbmf.families.mixed_membership.densities import Smoothing, Words
from nbmf.families.mixed_membership.e_steps import FastStep
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.lda import NotOfRows
from nbmf.families.mixed_membership.membership_estimator import Membership
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.products import COLUMNS
from nbmf.likelihoods.tokens import TOKENS


@with_parameters
class VariationalLDA(Membership):
    """LDA by variational EM: columns are documents, their ones are tokens, rows the vocabulary.

    Topics are point estimates and the prior of their shares is learned, unlike in LDA, whose topics
    have Dirichlet distributions and whose priors are 1/K. Zeros and missing entries are no tokens.

    W_ has a topic per column (distributions over rows), H_ the topic shares of each document,
    expectation_ = W_ H_ the probability that a token of column n is row f.

    Parameters
    ----------
    n_components : int
        K, the number of topics.
    smoothing : float
        ε, added to the expected count of each word in each topic.
    inner_max, inner_tol : int, float
        Rounds of the E-step of a document at most, and the mean change of γ below which it ends.
    max_iter : int
        The largest number of EM steps.
    relative_change_tol : float
        Stop when the objective (bound and smoothing) rises by less, as a share of itself; 0 never
        does.
    random_state : int, SeedSequence or None
        The same value gives the same bits. Topics start from random documents.

    Attributes
    ----------
    alpha_ : float array (K,)
        α, the Dirichlet prior of the shares.
    """

    method_name = "LDA, prior learned"
    transform, fit_transform = NotOfRows(), NotOfRows()
    predict_rows, score = NotOfRows(), NotOfRows()
    shapes: ClassVar = Membership.shapes | {"alpha_": "K"}

    likelihoods = (TOKENS,)
    probabilities = frozenset()  # W has those of tokens
    meanings = ("share of the component's ones", "shares of components")
    orientation = COLUMNS

    n_components: int = 5
    smoothing: float = 0.1
    inner_max: int = 100
    inner_tol: float = 1e-3
    max_iter: int = 100
    relative_change_tol: float = 1e-5
    random_state: RandomState = None

    def _cells(self, values):
        return Cells.of_tokens(values)

    def _first_densities(self, cells, features):
        return Words(features, self.n_components, Smoothing(self.smoothing))

    def _fitted_densities(self):
        return Words.of_topics(self.W_)

    def _fold_in_columns(self, codes):
        return self._shares_of_points(self._points(codes)).T


@with_parameters
class FastLDA(VariationalLDA):
    """Fast LDA: one variational distribution for all tokens of a document.

    Converged it is a mixture of unigrams; few rounds keep shares mixed, and five, the default, gave
    the best topics on Classic3. Parameters are those of VariationalLDA.
    """

    method_name = "Fast LDA"
    step = FastStep
    inner_max: int = 5
