"""The numbers that the paper prints: tables 2 to 10."""

SETS = ("ecoli", "glass", "ionosphere", "statlog", "segmentation", "sonar", "vowel", "wdbc", "wine")

# Training MMNB and NB, test MMNB and NB.
_PERPLEXITY = """
0.0120 0.0105 0.0134 0.0115
0.0649 0.1800 0.0783 0.2383
1.4241 1.6558 1.5035 1.7093
1.3013 2.1654 1.3032 2.2422
1.1991 1.8365 1.4215 2.6365
0.2934 0.3060 0.3043 0.3161
0.7190 0.6063 0.7709 0.6416
0.7797 0.7862 0.7974 0.8090
4.2216 4.5212 4.5722 5.0251
"""
_PRECISION = """
0.7468 0.7764 0.8334 0.7656
0.5450 0.5095 0.6389 0.5976
0.6422 0.7057 0.6514 0.6886
0.5675 0.5383 0.5874 0.5619
0.5783 0.5037 0.6476 0.6333
0.5706 0.5661 0.6051 0.6050
0.3249 0.2470 0.3990 0.3222
0.9214 0.9131 0.9161 0.9089
0.9235 0.6823 0.9294 0.6882
"""
_INFORMATION = """
0.8811 0.9684 0.8157 0.7887
0.4931 0.4896 0.5999 0.5655
0.0762 0.1524 0.0785 0.1569
1.0133 0.9878 1.0373 1.0254
1.0383 0.8669 1.1159 0.9892
0.0166 0.0100 0.0306 0.0239
0.7386 0.5636 0.8970 0.6507
0.3856 0.3731 0.3813 0.3734
0.8680 0.4990 0.8727 0.4563
"""


def _parse_numbers(text: str) -> list[list[float]]:
    return [[float(number) for number in line.split()] for line in text.split("\n") if line]


def _parse_uci(text: str) -> dict[tuple, float]:
    values = {}
    for name, row in zip(SETS, _parse_numbers(text), strict=True):
        columns = zip(("training", "training", "test", "test"), ("mmnb", "mnb") * 2, strict=True)
        for (part, model), number in zip(columns, row, strict=True):
            values[f"uci_{name}", model, part] = number
    return values


UCI = {
    "perplexity": _parse_uci(_PERPLEXITY),  # table 2
    "precision": _parse_uci(_PRECISION),  # table 3
    "information": _parse_uci(_INFORMATION),  # table 4
}
"""From (dataset, model, part) to the paper's mean over ten folds, by the measure."""

# K, and training MMNB and LDA, test MMNB and LDA.
_JESTER = """
5 1.7633 98.1762 1.7725 98.2084
10 1.7784 98.3465 1.8031 98.3785
15 1.8400 98.5684 1.8517 98.5941
20 1.8982 98.6900 1.8999 98.7170
25 1.9007 98.8084 1.9022 98.8348
"""
_MOVIELENS = """
5 1.7220 466.1500 1.9820 515.4462
10 1.6690 430.8736 2.0286 502.5386
15 1.6289 407.4768 2.0753 506.3093
20 1.5934 397.6517 2.1011 513.4418
25 1.5580 388.1596 2.1176 525.1515
"""
_FOODMART = """
4 1.8668 1503.0433 2.0540 1634.7652
8 1.8114 1362.1752 2.1702 2112.9106
12 1.7537 1385.4539 2.2368 1794.5040
16 1.6892 1375.2157 2.2826 1816.6249
20 1.6368 1354.8980 2.3114 1793.2581
"""


def _parse_binary(text: str) -> dict[tuple, float]:
    values = {}
    for K, *row in _parse_numbers(text):
        columns = zip(("training", "training", "test", "test"), ("mmnb", "lda") * 2, strict=True)
        for (part, model), number in zip(columns, row, strict=True):
            values[int(K), model, part] = number
    return values


BINARY = {
    "jester_binary": _parse_binary(_JESTER),  # table 5
    "movielens_binary": _parse_binary(_MOVIELENS),  # table 6
    "foodmart_binary": _parse_binary(_FOODMART),  # table 7
}
"""From each dataset to a dict from (K, model, part) to the paper's mean over ten folds."""

PRECISION_OF_TEXT = {
    ("classic3", "lda"): 0.674757,
    ("classic3", "fast-lda"): 0.673330,
    ("cmu_diff", "lda"): 0.961481,
    ("cmu_diff", "fast-lda"): 0.953063,
    ("cmu_sim", "lda"): 0.714000,
    ("cmu_sim", "fast-lda"): 0.689000,
}
"""Table 8; NASA's documents are not to be had."""

TOPICS = {
    "lda": (
        "information library system data libraries research systems retrieval science scientific",
        "patients cells cases normal growth blood found treatment children cell",
        "flow boundary pressure layer number mach results theory heat method",
    ),
    "fast-lda": (
        "information library system libraries data research retrieval systems science scientific",
        "patients cells cases normal growth blood treatment found children cell",
        "flow pressure boundary layer number mach results theory shock heat",
    ),
}
"""Table 10, Classic3: information retrieval, medicine, aeronautics; ten words each."""
