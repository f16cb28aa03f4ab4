"""A signal to stop is heard within a second of processor time in the middle of every attack, at 20,000 rows.

The clock counts the processor time of this process alone, so other programs change nothing.
"""

import hashlib
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.games.blind import blind
from riskkit.questions.released.plan import ReleasedPlan, attacks_to_run
from riskkit.stats.permutation import p_of_relearnt
from riskkit.table.points import RowPoints

ROWS, ASKED = 20_000, 10_000
MIDDLE, AT_MOST = 0.2, 1.0
"""Processor seconds after which the signal comes, and within which it must be heard."""

pytestmark = [
    pytest.mark.second,
    pytest.mark.skipif(sys.platform == "win32", reason="no clock of processor time that rings"),
]


class Heard(Exception):
    """The signal was heard."""


def rows(n: int, seed: int) -> RowPoints:
    rng = np.random.default_rng(seed)
    sizes = (2, 2, 5, 6, 7, 7, 9, 15, 40)
    codes = np.column_stack([rng.integers(0, size, n) for size in sizes]).astype(np.int32)
    return RowPoints(rng.normal(size=(n, 6)), codes, sizes)


def waited(step: Callable[[], Any]) -> float:
    """Processor seconds from the signal, in the middle of the step, until it was heard; less than 0 where it ended."""

    def hear(*_: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        raise Heard

    before = signal.signal(signal.SIGPROF, hear)
    start = time.process_time()
    try:
        with threadpool_limits(1), suppress(Heard):
            signal.setitimer(signal.ITIMER_PROF, MIDDLE)
            step()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - start - MIDDLE


@pytest.mark.parametrize("name", attacks_to_run(ReleasedPlan().attacks))
def test_every_attack_hears_it(name: str) -> None:
    attack, rng = registry.parse("released", name), np.random.default_rng(0)
    few = rows(60, 4), rows(60, 5), rows(60, 6)
    attack.score(*few, rng)  # compiled before the clock runs
    release, targets, reference = rows(ROWS, 1), rows(ASKED, 2), rows(ROWS, 3)
    assert waited(lambda: attack.score(release, targets, reference, rng)) < AT_MOST


def test_the_look_without_the_release_hears_it() -> None:
    people, is_in = rows(ROWS, 1), np.arange(ROWS) % 2 == 0
    blind(rows(60, 2), np.arange(60), np.random.default_rng(0))
    assert waited(lambda: blind(people, np.arange(ROWS), np.random.default_rng(0))) < AT_MOST
    learner = blind(people.rows(np.arange(4_000)), np.arange(4_000), np.random.default_rng(0))
    dealt = np.random.default_rng(1)
    assert waited(lambda: p_of_relearnt(learner.scores, is_in[:4_000], np.arange(4_000), 2_499, dealt)) < AT_MOST


def test_a_step_that_does_not_listen_is_seen() -> None:
    assert waited(lambda: hashlib.pbkdf2_hmac("sha256", b"deaf", b"", 8_000_000)) > AT_MOST
