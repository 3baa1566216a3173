"""The methods by their short names: class, label, and the K they are compared with (section 6.2).

Entries have the form of `methods` in config/config.yaml, where they stand once more with their
settings spelled out; here a setting that is not given has the default of the class, which is the
paper's (tests/test_comparison.py compares the two). Nothing heavy is imported: the command line
lists these names in its help.
"""

from typing import Any

NONPARAMETRIC = [100]  # "1/K" priors: the data choose how many components are used
FEW = [2, 3, 4, 5, 6, 7, 8]

METHODS: dict[str, dict[str, Any]] = {
    "beta-dir-gs": {"class": "BetaDirGibbs", "label": "Beta-Dir GS", "K": NONPARAMETRIC},
    "beta-dir-vb": {"class": "BetaDirVB", "label": "Beta-Dir VB", "K": NONPARAMETRIC},
    "dir-dir-gs": {"class": "DirDirGibbs", "label": "Dir-Dir GS", "K": NONPARAMETRIC},
    "c-bica": {"class": "CollapsedBinaryICA", "label": "c-bICA", "K": FEW, "starts_as": "bica"},
    "bica": {"class": "BinaryICA", "label": "bICA", "K": FEW},
    "logpca": {"class": "LogisticPCA", "label": "logPCA", "K": [2, 3, 4]},
    "dir-beta-gs": {"class": "DirBetaGibbs", "label": "Dir-Beta GS", "K": NONPARAMETRIC},
    "dir-beta-vb": {"class": "DirBetaVB", "label": "Dir-Beta VB", "K": NONPARAMETRIC},
    # Scored in nats per held-out token, so it is comparable with no other method.
    "lda": {"class": "LDA", "label": "LDA", "K": [2, 3, 4], "in_figure_10": False},
}

# What the paper's Figure 10 compares.
COMPARED = ("beta-dir-gs", "beta-dir-vb", "dir-dir-gs", "c-bica", "bica", "logpca")
