"""Predictions without components, which every method has to beat, in words; see `nbmf.evaluation.baselines`.

Of binary matrices, of counts under two distributions, and of ordered categories. Apart from the catalogue, so that no
table of baselines depends on the list of methods.
"""

BASELINES = {
    "overall-share": "the overall share of ones",
    "column-shares": "each column's share of ones",
    "row-shares": "each row's share of ones",
    "effects": "row and column effects",
}
BASELINES_OF_COUNTS = {
    "overall-mean": "the overall mean",
    "column-means": "each column's mean",
    "row-means": "each row's mean",
    "rates": "row and column shares",
}
OVERDISPERSED_BASELINES = {
    "column-means-nb": "each column's mean, overdispersed",
    "rates-nb": "row and column shares, overdispersed",
}
BASELINES_OF_CATEGORIES = {
    "overall-frequencies": "the overall frequencies of categories",
    "column-frequencies": "each column's frequencies of categories",
    "row-frequencies": "each row's frequencies of categories",
}
