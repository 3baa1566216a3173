"""Bayesian factorization of binary matrices: V ≈ WH with probabilities as factors.

Nothing is imported before it is used: `import nbmf` compiles nothing and takes milliseconds.
"""

import importlib

__version__ = "0.1.0"

# Public name -> module that defines it.
EXPORTS = {
    "BinaryMatrix": "nbmf.matrix",
    "read": "nbmf.readers.reading",
    "BetaDirGibbs": "nbmf.methods.beta_dir_gibbs",
    "BetaDirVB": "nbmf.methods.beta_dir_vb",
    "DirDirGibbs": "nbmf.methods.dir_dir_gibbs",
    "DirBetaGibbs": "nbmf.methods.dir_beta",
    "DirBetaVB": "nbmf.methods.dir_beta",
    "CollapsedBinaryICA": "nbmf.methods.collapsed_binary_ica",
    "BinaryICA": "nbmf.methods.binary_ica",
    "LogisticPCA": "nbmf.methods.logistic_pca",
    "LDA": "nbmf.methods.lda",
    "load": "nbmf.registry",
    "draw_mask": "nbmf.masks",
    "perplexity": "nbmf.metrics",
    "posterior_draws": "nbmf.uncertainty",
    "run_chains": "nbmf.chains",
    "compare": "nbmf.comparison",
}

__all__ = [*EXPORTS, "__version__"]


def __getattr__(name: str):
    if name in EXPORTS:
        return getattr(importlib.import_module(EXPORTS[name]), name)
    raise AttributeError(f"nbmf has no {name!r}; it has {', '.join(EXPORTS)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *EXPORTS])
