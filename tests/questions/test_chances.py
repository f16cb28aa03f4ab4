"""What a question says of how likely its result is by luck is what its own test said, and what its interval says."""

from __future__ import annotations

import json

import pytest

from riskkit.questions import questions
from riskkit.table.load import Tables, load
from tests.judged import judged
from tests.questions.test_for_whom import leaky, people, texted
from tests.questions.test_for_whom_everywhere import PLANS


def strangers() -> Tables:
    """A release of other people than anybody who is asked about."""
    return load(texted(people(1)), texted(people(3)), texted(people(2)))


@pytest.mark.parametrize("question", ["singling-out", "linkability", "reconstruction"])
@pytest.mark.parametrize("is_leaky", [True, False])
def test_members_beside_others_have_the_chance_of_their_labels_dealt_anew(question: str, is_leaky: bool) -> None:
    plan, tables = PLANS[question], leaky() if is_leaky else strangers()
    kept = json.loads(json.dumps(questions()[question].play(tables, plan)))
    measured = judged(kept, plan, tables=tables)[0][0].measured
    assert measured.strongest is not None
    if measured.strongest.value > 0:
        assert measured.p(0.0) == min(look["p"] for look in kept["shown"])
    assert (measured.p(0.0) <= 0.025) is is_leaky is (measured.strongest.low > 0)
    if is_leaky:
        assert measured.p(measured.strongest.low) == pytest.approx(0.025), "at a limit its interval tells"
        assert measured.p(measured.strongest.low / 2) < 0.02
