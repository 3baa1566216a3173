"""What `nbmf info` says about a file: about a matrix (`matrices`, `counts`), or what a file is that is none.

To add a detector of a kind of file:

1. write a function from a `Glance` (what is in the file) to a `Finding` (sentences and commands), or None;
2. list it in `DETECTORS` of `detectors.py`, above those that would take such a file for something else;
3. test in `tests/library/cli/test_info_advice.py` that the commands it prints read a file of the kind.
"""
