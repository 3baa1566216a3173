"""Passes over the entries above zero, and draws of their sources."""
