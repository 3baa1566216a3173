"""One folder per paper that is reproduced: its figures, tables and claims."""
