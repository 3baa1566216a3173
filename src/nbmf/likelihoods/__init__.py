"""Likelihoods: how values are checked and predictions scored, one module each."""
