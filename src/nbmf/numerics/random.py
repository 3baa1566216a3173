"""xoshiro256++ (Blackman and Vigna 2019) inside compiled loops: about 1 ns a draw.

A generator is an uint64 array (8,): four words of state, padded to a cache line so that threads
never share one.
"""

import numpy as np

from nbmf.numerics.compilation import inner_kernel
from nbmf.seeds import children

STATE_WORDS = 4
PADDED_WORDS = 8


def generator_states(seed: np.random.SeedSequence, count: int) -> np.ndarray:
    """Return `count` independent generators, uint64 array (count, 8), one stream per block."""
    states = np.zeros((count, PADDED_WORDS), np.uint64)
    for state, child in zip(states, children(seed, count), strict=True):
        state[:STATE_WORDS] = child.generate_state(STATE_WORDS, np.uint64)
    return states


@inner_kernel
def _rotate_left(word, bits):
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@inner_kernel
def next_word(state):
    """Return the next 64 random bits and advance the generator."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    word = _rotate_left(s0 + s3, 23) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    state[0] = s0 ^ s3
    state[1] = s1 ^ s2
    state[2] = s2 ^ shifted
    state[3] = _rotate_left(s3, 45)
    return word


@inner_kernel
def uniform(state):
    """Return a double in [0, 1) with 53 random bits."""
    return np.float64(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
