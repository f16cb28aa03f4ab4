"""How often parts of a page draw themselves anew."""

from __future__ import annotations

import pytest

from riskkit.dashboard import pace
from riskkit.dashboard.pace import AWAY_AFTER, FEW, Audience


def test_a_tab_counts_until_nothing_was_drawn_for_it_for_a_while() -> None:
    audience = Audience()
    assert [audience.seen(name, at) for name, at in (("a", 0.0), ("b", 1.0), ("a", 2.0))] == [1, 2, 2]
    assert audience.seen("c", 1.0 + AWAY_AFTER) == 3
    assert audience.seen("c", 1.5 + AWAY_AFTER) == 2, "b has left"


@pytest.mark.parametrize(("people", "seconds"), [(1, 2.0), (FEW, 2.0), (2 * FEW, 4.0), (5 * FEW, 10.0)])
def test_the_more_people_look_the_less_often(monkeypatch: pytest.MonkeyPatch, people: int, seconds: float) -> None:
    monkeypatch.setattr(Audience, "seen", lambda *_: people)
    assert pace.every(2.0) == seconds
