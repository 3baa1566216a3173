"""The places of what a chain learns besides loadings and scores, in one float array (6,).

Each has a prior in a float array (6, 2), its shape and rate: Gamma of the mass, inverse Gamma of
the variances. A shape of 0 says that the number is fixed. The last three are the hyperparameters of the effects of a
binary matrix, see nbmf.numerics.normal_effects: a variance of 0 says that there are no such effects.
"""

MASS, NOISE, SLAB, ROW_EFFECT, COLUMN_EFFECT, INTERCEPT = 0, 1, 2, 3, 4, 5
NAMES = ("mass", "noise_variance", "slab_variance", "row_effect_variance", "column_effect_variance", "intercept")
