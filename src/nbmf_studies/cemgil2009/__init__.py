"""Cemgil (2009), Bayesian inference for nonnegative matrix factorisation: its simulations."""
