"""The models of the study, and what its figures know of the measures."""

from typing import Any, NamedTuple

FIFTHS = 5  # parts of a test fold by entropy (Figure 10)
BIN = 0.1  # nats, of the histograms of entropies (Figures 8 and 9)


class Model(NamedTuple):
    """A model of the study.

    label : str, in figures and tables
    settings : dict, of ModelOfSeen, as far as they are not those of every model
    """

    label: str
    settings: dict[str, Any]


# Where a mixture has ended, rows included, and from there on uphill: a cold E-step would forget it.
FROM_MIXTURE = {"start_from": "mixture", "warm": "always"}
MODELS = {
    "mnb": Model("MNB", {"model": "mnb"}),
    "mmnb": Model("MMNB", {"model": "mmnb"}),
    "fast-mmnb": Model("Fast MMNB", {"model": "fast-mmnb"}),
    "fast-mmnb-5": Model("Fast MMNB, 5 rounds", {"model": "fast-mmnb", "inner_max": 5}),
    "mmnb-from-mnb": Model("MMNB from MNB", {"model": "mmnb", **FROM_MIXTURE}),
    "fast-mmnb-from-mnb": Model("Fast MMNB from MNB", {"model": "fast-mmnb", **FROM_MIXTURE}),
    "unigrams": Model("mixture of unigrams", {"model": "mnb", "documents": True}),
    "lda": Model("LDA", {"model": "mmnb", "documents": True}),
    "fast-lda": Model("Fast LDA", {"model": "fast-mmnb", "documents": True}),
    "fast-lda-5": Model("Fast LDA, 5 rounds", {"model": "fast-mmnb", "documents": True, "inner_max": 5}),
}
LABELS = {name: model.label for name, model in MODELS.items()}
