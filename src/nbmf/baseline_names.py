"""Predictions without components, which every method has to beat, in words; see `nbmf.evaluation.baselines`.

Of binary matrices, of counts under two distributions, and of ordered categories. Apart from the catalogue, so that no
table of baselines depends on the list of methods.
"""

BASELINES = {
    "overall-proportion": "the overall proportion of ones",
    "column-proportions": "column means",
    "row-proportions": "row means",
    "effects": "row and column effects",
}
BASELINES_OF_COUNTS = {
    "overall-mean": "the overall mean",
    "column-means": "column means",
    "row-means": "row means",
    "rates": "row and column rates",
    "shrunken-rates": "row and column rates, shrunken",
}
OVERDISPERSED_BASELINES = {
    "column-means-nb": "column means, overdispersed",
    "rates-nb": "row and column rates, overdispersed",
    "effects-nb": "row and column effects, overdispersed",
}
BASELINES_OF_CATEGORIES = {
    "overall-frequencies": "the overall frequencies of categories",
    "column-frequencies": "column frequencies of categories",
    "row-frequencies": "row frequencies of categories",
    "column-effects": "column effects on shared cut points",
}
