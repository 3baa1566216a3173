"""What every method shares: the estimator, the one loop, parameters, checkpoints, files."""
