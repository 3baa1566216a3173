"""Poisson-gamma factorization (Cemgil 2009) and its Bernoulli-Poisson link (Zhou 2015)."""
