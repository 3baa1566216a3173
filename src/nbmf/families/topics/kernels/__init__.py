"""Compiled inference of topics."""
