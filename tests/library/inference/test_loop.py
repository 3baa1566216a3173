"""The loop of all methods: how long it leaves a person who interrupts waiting."""

import itertools

import pytest

from nbmf.inference import loop


class Slow:
    """A state whose iterations take some seconds each, by a clock that they advance."""

    resumable = False

    def __init__(self, seconds_of, clock):
        self.seconds_of, self.clock, self.done, self.calls = seconds_of, clock, 0, []

    def advance(self, steps):
        self.calls.append(steps)
        self.clock.append(self.clock[-1] + sum(self.seconds_of(self.done + i) for i in range(steps)))
        self.done += steps


@pytest.fixture
def clock(monkeypatch):
    times = [0.0]
    monkeypatch.setattr(loop.time, "perf_counter", lambda: times[-1])
    return times


def longest(clock):
    return max(late - early for early, late in itertools.pairwise(clock))


@pytest.mark.parametrize("seconds", [1e-6, 1e-3, 0.1])
def test_no_call_takes_longer_than_a_moment(clock, seconds):
    state = Slow(lambda number: seconds, clock)
    assert loop.run(state, 5000) == (5000, None)
    assert sum(state.calls) == 5000
    assert longest(clock) <= loop.MOMENT
    assert len(state.calls) <= 15 + 5000 * seconds / (loop.MOMENT / 4)  # few, so that they cost nothing


def test_iterations_that_become_slower_are_done_fewer_at_a_time(clock):
    state = Slow(lambda number: 1e-4 if number < 20_000 else 0.2, clock)
    loop.run(state, 21_000)
    last = state.calls[-10:]
    assert max(last) <= 4


def test_what_compiles_at_first_does_not_slow_down_the_rest(clock):
    state = Slow(lambda number: 3.0 if number == 0 else 1e-3, clock)
    loop.run(state, 1000)
    assert max(state.calls) >= 200


def test_the_monitor_is_asked_as_before(clock):
    seen = []

    class Monitor:
        def next_after(self, iteration):
            return iteration + 300

        def __call__(self, iteration, total, state):
            seen.append((iteration, state.done))

    loop.run(Slow(lambda number: 0.01, clock), 1000, Monitor())
    assert seen == [(300, 300), (600, 600), (900, 900), (1000, 1000)]
