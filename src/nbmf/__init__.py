"""Bayesian factorization of binary matrices: V ≈ WH with probabilities as factors.

Nothing is imported before it is used: `import nbmf` compiles nothing and takes milliseconds.
"""

import importlib

__version__ = "1.0.0"

# Public name -> module that defines it.
EXPORTS = {
    "BinaryMatrix": "nbmf.data.matrix",
    "CountMatrix": "nbmf.data.count_matrix",
    "CategoryMatrix": "nbmf.data.category_matrix",
    "SparseBinaryMatrix": "nbmf.data.sparse_matrix",
    "read": "nbmf.io.reading",
    "read_sparse": "nbmf.io.sparse_reading",
    "read_table": "nbmf.io.features",
    "read_documents": "nbmf.io.documents",
    "load_example": "nbmf.data.examples",
    "BetaDirGibbs": "nbmf.families.beta_dirichlet.beta_dir_gibbs",
    "BetaDirVB": "nbmf.families.beta_dirichlet.beta_dir_vb",
    "DirDirGibbs": "nbmf.families.beta_dirichlet.dir_dir_gibbs",
    "DirDirVB": "nbmf.families.beta_dirichlet.dir_dir_vb",
    "DirBetaGibbs": "nbmf.families.beta_dirichlet.beta_dir_gibbs",
    "DirBetaVB": "nbmf.families.beta_dirichlet.beta_dir_vb",
    "CollapsedBinaryICA": "nbmf.families.beta_dirichlet.beta_dir_vb",
    "BinaryICA": "nbmf.families.beta_dirichlet.binary_ica",
    "LogisticPCA": "nbmf.families.logistic.logistic_pca",
    "LogisticFactorGibbs": "nbmf.families.logistic.logistic_factor_gibbs",
    "LogisticFactorVB": "nbmf.families.logistic.logistic_factor_vb",
    "LogisticFactorMAP": "nbmf.families.logistic.logistic_factor_map",
    "NegativeBinomialFactorGibbs": "nbmf.families.logistic.negative_binomial_factor_gibbs",
    "NegativeBinomialFactorVB": "nbmf.families.logistic.count_factor_vb",
    "OrdinalFactorGibbs": "nbmf.families.logistic.ordinal_factor_gibbs",
    "OrdinalFactorVB": "nbmf.families.logistic.ordinal_factor_vb",
    "DynamicFactorGibbs": "nbmf.families.logistic.dynamic_factor_gibbs",
    "DynamicOrdinalFactorGibbs": "nbmf.families.logistic.dynamic_ordinal_factor_gibbs",
    "SoftplusPoissonFactorVB": "nbmf.families.logistic.count_factor_vb",
    "GaussianFactorVB": "nbmf.families.logistic.gaussian_factor_vb",
    "IndianBuffetLogistic": "nbmf.families.buffet.buffet_logistic",
    "IndianBuffetGaussian": "nbmf.families.buffet.buffet_gaussian",
    "BernoulliPoissonGibbs": "nbmf.families.poisson_gamma.bernoulli_poisson",
    "BernoulliPoissonVB": "nbmf.families.poisson_gamma.bernoulli_poisson",
    "PoissonGammaGibbs": "nbmf.families.poisson_gamma.poisson_gamma",
    "PoissonGammaVB": "nbmf.families.poisson_gamma.poisson_gamma",
    "PoissonGammaICM": "nbmf.families.poisson_gamma.poisson_gamma",
    "PoissonGammaEM": "nbmf.families.poisson_gamma.poisson_gamma",
    "LDA": "nbmf.families.mixed_membership.lda",
    "VariationalLDA": "nbmf.families.mixed_membership.learned_lda",
    "FastLDA": "nbmf.families.mixed_membership.learned_lda",
    "MNB": "nbmf.families.mixed_membership.naive_bayes",
    "MMNB": "nbmf.families.mixed_membership.naive_bayes",
    "FastMMNB": "nbmf.families.mixed_membership.naive_bayes",
    "Stacking": "nbmf.stacking.estimator",
    "FeatureTable": "nbmf.data.feature_table",
    "load": "nbmf.registry",
    "draw_mask": "nbmf.data.masks",
    "perplexity": "nbmf.likelihoods.bernoulli",
    "posterior_draws": "nbmf.posterior.draws",
    "run_chains": "nbmf.posterior.running",
    "analyze": "nbmf.analysis.analyze",
    "Analysis": "nbmf.analysis.result",
    "compare": "nbmf.evaluation.compare",
    "verdict": "nbmf.evaluation.verdict",
    "margin_test": "nbmf.evaluation.margin_test",
    "choose_components": "nbmf.evaluation.component_choice",
    "distinguishing": "nbmf.posterior.distinguishing",
}

MODULES = ("plot", "errors")  # whose names are called by theirs: nbmf.plot.dictionary, nbmf.errors.DataError

COMMANDS = {"fit": "analyze"}  # whose function has another name

__all__ = [*EXPORTS, *MODULES, "__version__"]


def __getattr__(name: str):
    if name in MODULES:
        return importlib.import_module(f"nbmf.{name}")
    if name in EXPORTS:
        return getattr(importlib.import_module(EXPORTS[name]), name)
    import difflib  # takes longer than the rest of this module
    from importlib.util import find_spec

    if name.isidentifier() and not name.startswith("_") and find_spec(f"nbmf.{name}"):
        raise AttributeError(f"nbmf.{name} is not imported with nbmf: import the module you need by its full path")
    near = [COMMANDS[name]] if name in COMMANDS else difflib.get_close_matches(name, __all__, n=1)
    hint = f" (did you mean nbmf.{near[0]}?)" if near else ""
    raise AttributeError(f"nbmf has no {name!r}{hint}; it has {', '.join([*EXPORTS, *MODULES])}")


def __dir__() -> list[str]:
    return sorted({*globals(), *EXPORTS, *MODULES})
