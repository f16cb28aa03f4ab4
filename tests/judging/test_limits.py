"""Limits that people set: read, refused with a sentence, kept and restored."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskkit.errors import DesignError
from riskkit.judging import measurement
from riskkit.judging.measurement import SCALES, SOURCES, Limit
from riskkit.questions.limits import check, read, scales
from riskkit.questions.membership import words
from riskkit.stats.epsilon import BOUNDS


def test_every_scale_is_one_that_absence_can_be_shown_on() -> None:
    """Epsilon is a lower bound: a limit on it can be shown to be broken; "one_training" bars that it is kept."""
    assert set(scales().values()) <= set(SCALES)
    assert not set(SCALES) & set(BOUNDS)


@pytest.mark.parametrize(("question", "scale"), [*scales().items()])
def test_a_limit_lies_between_guessing_and_the_most_there_can_be(question: str, scale: str) -> None:
    low, high = SCALES[scale].low, SCALES[scale].high
    middle = (low + high) / 2
    assert check({question: Limit(middle, "t")}) == []
    for value in (low, high, low - 0.3, 11.0, math.nan, math.inf):
        (sentence,) = check({question: Limit(value, "t")})
        assert f"between {low:g}" in sentence
        with pytest.raises(DesignError, match="must lie between"):
            read(question, value)


def test_a_question_that_has_no_limit_says_which_do() -> None:
    (sentence,) = check({"weather": Limit(0.6, "t")})
    assert all(question in sentence for question in scales())
    with pytest.raises(DesignError, match="weather"):
        read("weather", 0.6)


@pytest.mark.parametrize(
    ("value", "by", "limit"),
    [
        (0.7, "", Limit(0.7, "set by the user of this report")),
        ("0.7", "board", Limit(0.7, "board")),
        ({"value": 0.7, "source": "board", "date": "2026-03-03"}, "someone", Limit(0.7, "board", "2026-03-03")),
        ({"value": "0.7"}, "someone", Limit(0.7, "someone")),
        ("published-control", "", SOURCES[1].limit),
    ],
)
def test_a_limit_is_read_from_a_number_a_table_or_a_name(value: object, by: str, limit: Limit) -> None:
    assert read("membership", value, by) == limit


@pytest.mark.parametrize("value", ["much", None, [0.6], {"source": "board"}, {"value": "much"}])
def test_what_is_no_limit_is_refused_with_a_sentence(value: object) -> None:
    with pytest.raises(DesignError, match=r"must be a number or one of ema-0\.09"):
        read("membership", value)


def test_a_published_limit_stands_on_its_own_scale_alone() -> None:
    assert read("attributes", "ema-0.09").value == 0.09
    with pytest.raises(DesignError, match="one for a residual, not for membership"):
        read("membership", "ema-0.09")


@given(
    st.dictionaries(
        st.sampled_from(sorted(scales())),
        st.builds(Limit, st.floats(0.51, 0.99), st.text(max_size=20), st.text(max_size=20)),
    )
)
def test_what_is_kept_is_restored(own: dict[str, Limit]) -> None:
    assert measurement.limits_from_dict(json.loads(json.dumps(measurement.limits_as_dict(own)))) == own
    assert check(own) == []


def test_no_limit_on_the_list_is_without_source_and_date() -> None:
    assert SOURCES
    assert len({source.key for source in SOURCES}) == len(SOURCES)
    for source in SOURCES:
        assert measurement.source(source.key) is source
        assert source.limit.source
        assert source.limit.date
        assert source.note
        assert check({question: source.limit for question, on in scales().items() if on == source.scale}) == []
    assert measurement.source("none") is None


def test_the_note_on_the_limit_of_games_says_what_it_takes() -> None:
    source = measurement.source("published-control")
    assert source is not None
    assert f"{words.trainings_needed(source.limit.value)} trainings" in source.note
    assert "60 trainings" in source.note
    assert words.trainings_needed(source.limit.value) > 2 * 60, "fewer than half of such leaks are seen by 60"
