"""Draws, intervals and chains of any method, and whether chains have converged."""
