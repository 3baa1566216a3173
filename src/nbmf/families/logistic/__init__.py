"""Models of log-odds."""
