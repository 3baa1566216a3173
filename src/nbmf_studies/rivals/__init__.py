"""The default and stacking against other packages, on fourteen matrices on which no default was chosen."""
