"""Which method should `nbmf fit` take where nothing is said? Matrices of many shapes tell."""
