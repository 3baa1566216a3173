"""Whether a fit is worse than one component: then its start was a bad one, or there is nothing to find."""

import numpy as np

from nbmf.errors import Message, PoorFitWarning, Setting, WorseThanOneComponentWarning, warn

ROUNDING = 1e-6  # part of the objective of one component that a fit may be below it, of a nat where that is smaller


def is_worse(objective: float | None, of_one: float | None) -> bool:
    """Whether a fit is below one component, both in nats; not if either is not known (None)."""
    if objective is None or of_one is None:
        return False
    return objective < of_one - ROUNDING * max(abs(of_one), 1.0)


def warn_if_worse(name: str, n_components: int, objective: float | None, of_one: float | None) -> None:
    """Warn that a fit ended below one component, or with an objective that is no number."""
    if objective is not None and np.isnan(objective):
        again = f"{name}: the objective is not a number, so that nothing that was learned can be relied on; another "
        warn(Message(again, Setting("random_state"), " may end elsewhere"), PoorFitWarning)
    if is_worse(objective, of_one):
        message = Message(
            f"{name} is worse than one component: its objective is {objective:.6g} nats with ",
            Setting("n_components", n_components),
            f", and {of_one:.6g} where one of them has everything. Take the best of several starts, another ",
            Setting("random_state"),
            " or a smaller ",
            Setting("n_components"),
            "; if none is better, the method finds no structure in these data",
        )
        warn(message, WorseThanOneComponentWarning)
