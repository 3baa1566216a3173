"""One prediction from several methods: weights learned on held-out entries."""
