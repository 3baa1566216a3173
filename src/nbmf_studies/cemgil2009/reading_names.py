"""What the second reading compares: priors of Figure 3, starts of Figure 4, ways to fill of Figure 7."""

ANNEALED_BACK = "annealed back"
MATCHING, OF_MEAN = "matching", "mean b"  # priors: those that the matrix was drawn from, or mean b where it had scale b
PRIORS = {MATCHING: "priors that match", OF_MEAN: "priors of mean b"}

PRINTED_START, TEXT_START, SPLIT, PRUNED = "printed", "text", "split", "pruned"
STARTS = {  # of Figure 4: label and colour
    PRINTED_START: ("from (10, 0.5)", "#0072B2"),
    TEXT_START: ("from (0.5, 10)", "#E69F00"),
    SPLIT: ("one template split", "#009E73"),
    PRUNED: ("one template pruned", "#CC79A7"),
}

TIES = ("all", "source", "line", "none")  # which means are shared
VB_TIED = {f"vb_{tie}": tie for tie in TIES}
ICM_TIED = {f"icm_{tie}": tie for tie in ("all", "line")}
ML, ML_FROM_IMAGES = "ml_random", "ml_images"
FIXED, ONE, SMALL, REVERSED = "vb_fixed", "vb_one", "vb_small", "vb_reversed"
FROM_ML = "vb_from_ml"
OTHER_STARTS = {ONE: (1.0, 1.0), SMALL: (0.1, 0.1), REVERSED: (0.5, 10.0)}  # shapes of W and H
WORDS = {"all": "b shared", "source": "b per source", "line": "b per row or column", "none": "b untied"}
LABELS = {
    **{way: f"VB, {WORDS[tie]}" for way, tie in VB_TIED.items()},
    **{way: f"VB + ICM, {WORDS[tie]}" for way, tie in ICM_TIED.items()},
    ML: "ML-NMF 1 (random)",
    ML_FROM_IMAGES: "ML-NMF 2 (images)",
    FIXED: "VB, priors fixed",
    ONE: "VB, shapes from (1, 1)",
    SMALL: "VB, shapes from (0.1, 0.1)",
    REVERSED: "VB, shapes from (0.5, 10)",
    FROM_ML: "VB, 20 updates from ML",
}
COLOURS = {
    **dict(zip(VB_TIED, ("#0072B2", "#56B4E9", "#332288", "#009E73"), strict=True)),
    **dict(zip(ICM_TIED, ("#0072B2", "#332288"), strict=True)),
    ML: "#D55E00",
    ML_FROM_IMAGES: "#E69F00",
}
