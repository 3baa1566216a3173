"""Texts as documents by words."""

import re
from collections import Counter

import numpy as np
from scipy import sparse

from nbmf.data.feature_table import FeatureTable

WORD = re.compile(r"[a-z]+")


def as_documents(texts: dict[str, str], groups: list[str], least: int) -> FeatureTable:
    """Return documents by words in alphabetical order; row groups are what documents belong to.

    Words are runs of two letters or more in lower case that are no English stop words of
    scikit-learn and are in at least `least` documents. The paper does not print its own.

    Parameters
    ----------
    texts : dict
        From the name of each document to its text.
    groups : list of str
    least : int
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words_of = [
        Counter(word for word in WORD.findall(text.lower()) if len(word) > 1 and word not in ENGLISH_STOP_WORDS)
        for text in texts.values()
    ]
    frequency = Counter(word for words in words_of for word in words)
    vocabulary = sorted(word for word, count in frequency.items() if count >= least)
    column_of = {word: n for n, word in enumerate(vocabulary)}
    cells = [(d, column_of[w], c) for d, words in enumerate(words_of) for w, c in words.items() if w in column_of]
    row, column, count = np.array(cells).T
    counts = sparse.coo_array((count, (row, column)), (len(texts), len(vocabulary)))
    return FeatureTable.from_documents(counts, list(texts), vocabulary, groups)
