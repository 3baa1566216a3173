"""Random streams keyed by what they are for, so that adding one thing changes no other."""

import hashlib
import json
import operator

import numpy as np


def seed_sequence(*key: str | int) -> np.random.SeedSequence:
    """Return the seed sequence that belongs to `key`, for example ("mask", "animals", 3).

    The key is hashed with SHA-256, so the stream depends on nothing but the key: not on the order
    of the configuration, not on the process (as `hash()` would), and not on neighbouring keys (as
    `seed + i` would).
    """
    parts = [part if isinstance(part, str) else operator.index(part) for part in key]
    text = json.dumps(parts, ensure_ascii=True)
    return np.random.SeedSequence(int(hashlib.sha256(text.encode("ascii")).hexdigest(), 16))


def child(seed: np.random.SeedSequence, *key: str | int) -> np.random.SeedSequence:
    """Return the child of `seed` that belongs to `key`, for example ("draw", 17).

    It depends on nothing else, and is none of `children`.
    """
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, seed_sequence(*key).entropy))


def children(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Return the first `count` children of `seed`; unlike `seed.spawn`, always the same ones."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(count)
