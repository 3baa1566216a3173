"""Compiled inference of mixed membership and of topics."""
