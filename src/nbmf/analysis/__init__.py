"""`nbmf.analyze`: from a matrix to what is in it, as `nbmf fit` does from a file."""
