"""Random streams: a matter of their key alone, the same on every machine and every day."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from nbmf.numerics.random import generator_states, next_word, uniform
from nbmf.seeds import children, seed_sequence


def stream(seed):
    return np.random.default_rng(seed).integers(2**63, size=4).tolist()


def test_a_key_has_the_checksum_of_its_text_as_entropy():
    # printf '["mask", "animals", 3]' | sha256sum
    digest = "621cbd677de6981417ecfaef0a5cefac27ea3e7c1757f70a6439c4c409e849fd"
    assert seed_sequence("mask", "animals", 3).entropy == int(digest, 16)


def test_another_process_has_the_same_stream():
    code = "from nbmf.seeds import seed_sequence; print(seed_sequence('fit', 'ψ', 3).entropy)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(other.stdout) == seed_sequence("fit", "ψ", 3).entropy


def test_an_integer_of_numpy_is_an_integer():
    assert stream(seed_sequence("mask", np.int64(3))) == stream(seed_sequence("mask", 3))
    with pytest.raises(TypeError):
        seed_sequence("mask", 3.0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("mask", 1), ("mask", 2)),
        (("mask", 1), ("mask", "1")),
        (("ab", "c"), ("a", "bc")),
        (("a", "b"), ("b", "a")),
        (("a",), ("a", "")),
        (("ä",), ("a",)),
    ],
)
def test_different_keys_have_different_streams(one, other):
    assert stream(seed_sequence(*one)) == stream(seed_sequence(*one))
    assert stream(seed_sequence(*one)) != stream(seed_sequence(*other))


def test_neighbouring_streams_are_not_correlated():
    draws = [np.random.default_rng(seed_sequence("mask", i)).random(4000) for i in range(8)]
    correlations = np.corrcoef(draws)[np.triu_indices(8, 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(4000)


def test_children_are_always_the_same_and_all_different():
    seed = seed_sequence("fit", 1)
    first = [stream(child) for child in children(seed, 3)]
    assert [stream(child) for child in children(seed, 5)][:3] == first
    assert len({str(each) for each in [*first, stream(seed)]}) == 4


def test_children_are_those_of_a_fresh_spawn_and_leave_their_parent_alone():
    seed = seed_sequence("fit", 1)
    children(seed, 4)
    assert seed.n_children_spawned == 0
    assert list(map(stream, children(seed, 2))) == list(map(stream, seed.spawn(2)))


def test_grandchildren_differ_from_children():
    seed = seed_sequence("fit", 1)
    (child,) = children(seed, 1)
    assert stream(children(child, 1)[0]) != stream(child)


def test_entropy_is_the_whole_checksum():
    longest = max(seed_sequence("bits", i).entropy.bit_length() for i in range(40))
    assert longest == 8 * hashlib.sha256().digest_size


# --- The generator of the compiled kernels ---------------------------------------------------

# What the reference implementation of xoshiro256++ returns from the state 1, 2, 3, 4.
XOSHIRO = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def test_kernels_draw_the_words_of_xoshiro():
    state = np.array([1, 2, 3, 4], np.uint64)
    assert [int(next_word(state)) for _ in XOSHIRO] == XOSHIRO


def test_uniform_numbers_are_the_leading_53_bits():
    state = np.array([1, 2, 3, 4], np.uint64)
    assert [uniform(state) for _ in XOSHIRO] == [(word >> 11) / 2**53 for word in XOSHIRO]


def test_each_block_has_the_stream_of_a_child():
    seed = seed_sequence("fit", 1)
    for state, child in zip(generator_states(seed, 3), seed.spawn(3), strict=True):
        np.testing.assert_array_equal(state[:4], child.generate_state(4, np.uint64))
