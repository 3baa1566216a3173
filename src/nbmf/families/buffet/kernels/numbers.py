"""The places of what a chain learns beside loadings and scores, in one float array (5,).

Each has a prior in a float array (5, 2), its shape and rate: Gamma of the mass, inverse Gamma of
the variances. A shape of 0 says that the number is fixed.
"""

MASS, NOISE, SLAB, ROW_EFFECT, COLUMN_EFFECT = 0, 1, 2, 3, 4
NAMES = ("mass", "noise_variance", "slab_variance", "row_effect_variance", "column_effect_variance")
