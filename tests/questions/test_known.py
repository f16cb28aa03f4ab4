"""What is known of a person is kept in English and said again where it is read."""

from pathlib import Path

import pytest

from riskkit.questions import folders
from riskkit.questions.compared import again, grouped_names, halves, shorten_names
from tests.speaking import speak

NAMES = ("age", "sex", "job", "ward", "town", "year", "pay")


def test_names_are_written_out_as_far_as_there_are_few() -> None:
    assert shorten_names(NAMES[:6]) == "age, sex, job, ward, town, year"
    assert shorten_names(NAMES) == "age, sex, job, ward and 3 more"
    assert grouped_names(NAMES[:2], 20) == "age, sex (numbers in 20 groups)"
    assert halves(NAMES[:1], NAMES[1:]) == "age | sex, job, ward, town, year, pay"


@pytest.mark.parametrize(
    "kept", [shorten_names(NAMES), grouped_names(NAMES, 20), halves(NAMES[:3], NAMES[3:]), halves(NAMES[:6], NAMES[6:])]
)
def test_what_was_kept_is_said_again(monkeypatch: pytest.MonkeyPatch, kept: str) -> None:
    assert again(str(kept), NAMES) == kept
    speak(monkeypatch, "xx-marks")
    assert "⟦" in again(str(kept), NAMES) or "|" in kept
    assert again("something else", NAMES) == "something else"


def test_a_folder_that_is_closed_to_this_user_hides_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever ran riskkit first may have left translated files that nobody else may look at."""
    looked = Path.is_file

    def is_file(path: Path) -> bool:
        if "__pycache__" in path.parts:
            raise PermissionError(path)
        return looked(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    assert "membership" in folders()
