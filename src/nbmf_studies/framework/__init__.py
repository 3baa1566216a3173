"""How a study says what it shows: declarations, plans, needs, and verdicts on claims."""
