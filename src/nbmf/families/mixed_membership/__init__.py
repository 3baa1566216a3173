"""Mixed membership of rows in components: of features of several kinds, and of words (topics)."""
