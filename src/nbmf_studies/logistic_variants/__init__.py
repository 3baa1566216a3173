"""Logistic factor models: what precisions that are learned, effects and more factors change."""
