"""What was found in an audit's tables once, kept beside them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from riskkit.jobs.retention import strip
from riskkit.jobs.store import Audit, Store
from riskkit.judging.give_aways import GiveAway, State
from riskkit.table.read.csv_text import read_csv

FOUND = (GiveAway("copies", State.SHOWN, {"rows": 3, "has_holdout": True}),)
TABLE = b"age,sex\n" + b"".join(b"%d,%s\n" % (row % 40, b"fm"[row % 2 : row % 2 + 1]) for row in range(60))


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    made = Store(tmp_path).create("Ward study")
    made.put("real", read_csv(TABLE, name="real.csv"))
    return made


def test_it_is_looked_for_once_and_read_by_everybody_after_that(audit: Audit) -> None:
    assert looks(audit) == 1
    assert looks(audit) == 0
    assert looks(Audit(audit.path)) == 0


def test_other_tables_and_other_choices_are_looked_at_anew(audit: Audit) -> None:
    assert looks(audit) == 1
    audit.put("real", read_csv(TABLE + b"41,f\n", name="real.csv"))
    assert looks(audit) == 1


def test_what_was_altered_on_the_disk_is_looked_for_anew(audit: Audit) -> None:
    assert looks(audit) == 1
    place = audit.path / "give-aways.noted"
    content = bytearray(place.read_bytes())
    content[-2] ^= 1
    place.write_bytes(content)
    assert looks(audit) == 1
    place.write_bytes(b"")
    assert looks(audit) == 1


def test_another_version_looks_anew(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    assert looks(audit) == 1
    monkeypatch.setattr("riskkit.jobs.files.environment", lambda: "riskkit 99")
    assert looks(audit) == 1


def test_nothing_of_it_stays_when_a_file_goes_or_another_comes(audit: Audit) -> None:
    looks(audit)
    audit.put("real", read_csv(TABLE + b"41,f\n", name="real.csv"))
    assert noted(audit) == []
    looks(audit)
    audit.drop("real")
    assert noted(audit) == []


def test_nothing_of_it_stays_when_the_files_are_purged(audit: Audit) -> None:
    looks(audit)
    assert noted(audit) == ["give-aways.noted"]
    receipt = strip(audit.path, datetime.now(UTC))
    assert noted(audit) == []
    assert "give-aways.noted" in str(receipt)


def noted(audit: Audit) -> list[str]:
    return [path.name for path in audit.path.glob("*.noted")]


def looks(audit: Audit) -> int:
    """How often it is looked for when it is asked for once; what is told is the same each time."""
    looked: list[int] = []

    def look() -> tuple[GiveAway, ...]:
        looked.append(1)
        return FOUND

    assert audit.note("give-aways", look) == FOUND
    return len(looked)
