"""Lumbreras, Filstroff and Févotte (2020): the main paper."""
