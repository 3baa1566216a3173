"""What is compared: kinds of evidence, and ways to fill a patch, by the names that tables have."""

BOUND, ADAPTED, CHIB, ANNEALED = "bound", "adapted bound", "chib", "annealed"
KINDS = {
    BOUND: ("bound", "#0072B2"),
    ADAPTED: ("bound, priors learned", "#56B4E9"),
    CHIB: ("Chib", "#D55E00"),
    ANNEALED: ("annealed importance sampling", "#009E73"),
}  # label and colour

VB, VB_ICM, VB_ONE, ML_RANDOM, ML_IMAGES = "vb", "vb_icm", "vb_one", "ml_random", "ml_images"
WAYS = {
    VB: "VB",
    VB_ICM: "VB + ICM",
    VB_ONE: "VB, shapes from (1, 1)",
    ML_RANDOM: "ML-NMF 1 (random)",
    ML_IMAGES: "ML-NMF 2 (images)",
}
SHORT = {  # above narrow columns
    VB: "VB",
    VB_ICM: "VB + ICM",
    VB_ONE: "VB\nfrom (1, 1)",
    ML_RANDOM: "ML-NMF 1\n(random)",
    ML_IMAGES: "ML-NMF 2\n(images)",
}
WAY_COLOURS = {VB: "#0072B2", VB_ICM: "#56B4E9", VB_ONE: "#332288", ML_RANDOM: "#D55E00", ML_IMAGES: "#E69F00"}
PIXEL_MEAN = "pixel_mean"
ORDER = "order"  # the fits of Figure 4


def method_of(name: str) -> str:
    """Return the method of config/studies/cemgil2009.yaml that a kind of evidence or a way is, or the fits ORDER."""
    return f"cemgil2009-{name.replace(' ', '-').replace('_', '-')}"


def title_of(dataset: str) -> str:
    """Return the size of the photographs of a dataset, such as 16 × 16, by its name."""
    side = dataset.rpartition("_")[2]
    return f"{side} × {side}"
