"""The model families, a folder each: definitions, kernels, estimators."""
