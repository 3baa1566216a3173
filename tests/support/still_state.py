"""A state that stands still, for classes of tests: what is left to say is what it predicts."""

from nbmf.inference.state import State


class Still(State):
    def advance(self, steps):
        pass

    def objective(self):
        return None

    def active_components(self):
        return 1
