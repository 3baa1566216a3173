"""Compiled inference: arrays in, arrays changed. Missing entries never reach these loops.

`compilation` holds the decorator, `random` the generator, `cells` the order in which observed
entries are visited; every other module is one inference algorithm for one model, with a small
class around its arrays.
"""
