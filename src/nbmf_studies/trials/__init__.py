"""A trial of which method `nbmf fit` should take by default, on matrices of many shapes."""
