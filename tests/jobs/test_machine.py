"""How much memory a plan needs is measured, not guessed."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from riskkit.jobs import machine


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system says it on Linux alone")
@pytest.mark.parametrize("megabytes", [64, 256])
def test_the_peak_is_that_of_the_pilot(megabytes: int) -> None:
    def pilot() -> int:
        return int(np.ones(megabytes << 17).sum())

    made, extra = machine.measure(pilot)
    assert made == megabytes << 17
    assert extra is not None
    assert abs(extra - (megabytes << 20)) < 8 << 20
    again = machine.measure(lambda: None)[1]
    assert again is not None
    assert again < 8 << 20, "an earlier peak is not counted again"


def test_where_the_system_does_not_say_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert machine.measure(lambda: 3) == (3, None)


def test_every_process_holds_its_own() -> None:
    assert machine.bytes_needed(100, 1) == machine.PROCESS + 100
    assert machine.bytes_needed(100, 3) == 4 * (machine.PROCESS + 100)


@pytest.mark.parametrize(("size", "words"), [(3 << 20, "10 MB"), (260 << 20, "260 MB"), (3 << 29, "1.5 GB")])
def test_sizes_are_said_in_words(size: int, words: str) -> None:
    assert machine.in_words(size) == words
