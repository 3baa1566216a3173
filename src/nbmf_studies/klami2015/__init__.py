"""Klami (2015), Pólya-gamma augmentations for factor models: what its experiments show."""
