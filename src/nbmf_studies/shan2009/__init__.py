"""Shan and Banerjee (2009), Mixed-membership naive Bayes models."""
