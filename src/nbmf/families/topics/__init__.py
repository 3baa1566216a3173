"""Models of tokens."""
