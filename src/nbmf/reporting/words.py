"""Words that several reports share."""

# How counts are scored, by the name of the likelihood.
SCORED_BY = {
    "poisson": "scored by the Poisson law of the mean predicted",
    "negative-binomial": "scored by the negative binomial law predicted",
}
