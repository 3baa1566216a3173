"""Ohn (2022), The convergent Indian buffet process: what its figures show."""
