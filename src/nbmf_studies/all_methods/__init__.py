"""Every method that can be compared, next to baselines."""
