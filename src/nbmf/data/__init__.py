"""Data: matrices, held-out masks, readers of files, and the recipes of the datasets."""
