"""The paper's figures, one module each, in one style."""
