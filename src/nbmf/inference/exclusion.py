"""What `recommend` may leave out of its lists; apart, so that the command line need not load an estimator for it."""

ONES, OBSERVED = EXCLUDED = "ones", "observed"
