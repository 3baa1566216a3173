"""What figures and tables are handed where several files make one thing.

Apart from the needs that load them: the module of a figure may import this without depending on
what makes a plan.
"""

from typing import Any, NamedTuple


class MaskedMatrix(NamedTuple):
    """A matrix (BinaryMatrix) with one held-out mask, bool array (F, N)."""

    dataset: str
    number: int
    matrix: Any
    mask: Any


class ShownFit(NamedTuple):
    """The unmasked fit that a figure shows.

    label : str, the method's name and, where it was chosen, its K
    loss : float, D(V|V^) in nats
    active_components : int
    W, H, expectation : float32 arrays (F, K), (K, N), (F, N); E[V] is None where it was not kept
    """

    method: str
    label: str
    loss: float
    active_components: int
    W: Any
    H: Any
    expectation: Any = None
