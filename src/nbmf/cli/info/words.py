"""Words of answers that everybody knows."""

# Pairs of answers of which everybody knows which is a one.
YES = ("ja", "oui", "si", "sí", "sim", "tak", "kyllä", "y", "j", "t", "true", "wahr", "vrai", "yea", "aye", "present")
YES += ("for", "in favour", "in favor", "pro", "support", "approve")
YES += ("pass", "passed", "positive", "pos", "+", "on", "correct", "richtig", "agree")
NO = ("nein", "non", "no", "não", "nie", "ei", "n", "f", "false", "falsch", "faux", "nay", "absent")
NO += ("against", "con", "contra", "oppose", "opposed", "reject")
NO += ("fail", "failed", "negative", "neg", "-", "off", "wrong", "incorrect", "disagree")
ONE_NEXT_TO = {"right": "wrong"}  # a one next to this zero alone: it is no answer next to left
ABSENT_AND_PRESENT = ("a", "p")
ATTENDANCE = ("absent", "present")
BETWEEN = ("abstain", "abstained", "abstention", "enthaltung", "neutral", "undecided", "neither", "maybe", "partly")
BETWEEN += ("perhaps", "possibly", "sometimes")
# Texts of scales, each from the lowest on.
SCALES = (
    (
        *("completely disagree", "strongly disagree", "disagree", "somewhat disagree", "slightly disagree"),
        *("neutral", "neither agree nor disagree", "neither", "undecided"),
        *("slightly agree", "somewhat agree", "agree", "strongly agree", "completely agree"),
    ),
    ("never", "rarely", "seldom", "sometimes", "occasionally", "often", "usually", "very often", "always"),
    ("very dissatisfied", "dissatisfied", "neutral", "neither", "satisfied", "very satisfied"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    (
        *("not important", "slightly important", "moderately important"),
        *("important", "very important", "extremely important"),
    ),
    ("not at all", "a little", "slightly", "somewhat", "moderately", "very", "very much", "extremely"),
)
# How much there is of a species, from the lowest class on: Braun-Blanquet's, with the divided 2 of Barkman et al., and
# the DAFOR scale; and what stands for none.
CLASSES = (("r", "+", "1", "2", "2m", "2a", "2b", "3", "4", "5"), ("r", "o", "f", "a", "d"))
NO_COVER = ("", ".", "-", "0")
