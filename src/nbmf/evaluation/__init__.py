"""The comparison of methods by held-out entries, and the recommendation made from it."""
