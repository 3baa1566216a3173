"""Compiled inference: arrays in, arrays changed, no Python objects inside loops."""
