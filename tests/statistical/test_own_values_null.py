"""Values of one person alone: in 400 audits a kind where nobody's values were reused, few show them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from riskkit.core import Table
from riskkit.judging.give_aways import State
from tests.games.test_own_values import DEALS, LEVEL, most_by_chance, near_state, state

AUDITS = 400


@pytest.mark.parametrize("deal", DEALS)
def test_of_400_honest_audits_no_more_are_shown_than_the_level_allows(
    deal: Callable[[int], tuple[Table, Table, Table]],
) -> None:
    shown = sum(state(*deal(1000 + audit)) is State.SHOWN for audit in range(AUDITS))
    assert shown <= most_by_chance(AUDITS, LEVEL)


@pytest.mark.parametrize("deal", DEALS)
def test_of_400_honest_audits_read_nearly_no_more_are_shown_than_the_level_allows(
    deal: Callable[[int], tuple[Table, Table, Table]],
) -> None:
    shown = sum(near_state(*deal(1000 + audit)) is State.SHOWN for audit in range(AUDITS))
    assert shown <= most_by_chance(AUDITS, LEVEL)
