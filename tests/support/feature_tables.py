"""Tables of features and of documents in which rows fall into kinds."""

import numpy as np
import pandas as pd

import nbmf

KINDS = {"visits": "poisson"}


def mixed(rows=90, kinds=2, seed=0, p_missing=0.05):
    """Rows of some kinds (none with kinds = 1): a column of each law, and which kind a row is."""
    rng = np.random.default_rng(seed)
    kind = np.arange(rows) % 3 % kinds
    frame = pd.DataFrame(
        {
            "height": rng.normal(3.0 * kind, 1.0),
            "job": np.where(rng.random(rows) < 0.15 + 0.7 * kind, "a", rng.choice(["b", "c"], rows)),
            "member": (rng.random(rows) < 0.1 + 0.8 * kind).astype(float),
            "visits": rng.poisson(1.0 + 5.0 * kind).astype(float),
        }
    )
    frame = frame.mask(rng.random(frame.shape) < p_missing)
    return frame.assign(kind=[f"kind {k}" for k in kind])


def table(**options):
    return nbmf.FeatureTable.from_frame(mixed(**options), KINDS, labels="kind")


def documents(seed=0):
    rng = np.random.default_rng(seed)
    topics = np.array([[8, 4, 2, 1, 0.1, 0.1], [0.1, 0.1, 1, 2, 4, 8]])
    topics /= topics.sum(axis=1, keepdims=True)
    counts = np.array([rng.multinomial(20, topics[d % 2]) for d in range(40)])
    words = ["sea", "ice", "ship", "road", "car", "bus"]
    return nbmf.FeatureTable.from_documents(counts, words=words)


TABLE, DOCUMENTS = table(), documents()
