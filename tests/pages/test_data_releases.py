"""Several releases on the Data page: where they are dropped, how many there are, and what is said of them."""

import pytest

from riskkit.jobs.store import Audit
from riskkit.judging.provenance import Provenance
from tests.pages.screens import AUDIT, csv, drop, hints, loaded, opened, press, refuses_nothing, shown

pytestmark = pytest.mark.second


@pytest.fixture
def audit() -> Audit:
    """A real table and one release."""
    return loaded(real=csv(), synthetic=csv(100, 1), holdout=csv(seed=2))


def test_further_releases_are_dropped_one_after_the_other(audit: Audit) -> None:
    screen = opened(audit)
    assert "upload_release_2" not in {str(uploader.key) for uploader in screen.file_uploader}
    screen.checkbox(key=f"further_{audit.id}").check().run()
    for number in (2, 3):
        drop(screen, f"release_{number}", csv(100 + number, number))
        assert refuses_nothing(screen)
    assert audit.tables().releases == 3
    assert audit.provenance == Provenance("", 3)
    assert "upload_release_4" in {str(uploader.key) for uploader in screen.file_uploader}
    assert "**Release 2**" in shown(screen)
    press(screen, "drop_release_2")
    assert refuses_nothing(screen)
    assert audit.provenance.releases == audit.tables().releases == 2


def test_a_number_that_is_not_that_of_the_files_is_said(audit: Audit) -> None:
    audit.load("release_2", csv(100, 5), name="again.csv")
    audit.set_provenance(Provenance("histogram", 4))
    screen = opened(audit, AUDIT)
    assert "2 files of releases are loaded. This number should be the same" in shown(screen)
    audit.set_provenance(Provenance("histogram", 2))
    assert "This number should be the same" not in shown(opened(audit, AUDIT))


def test_give_aways_of_every_release_are_said_on_the_page(audit: Audit) -> None:
    rows = csv().split(b"\n")
    audit.load("release_2", b"\n".join(rows[:100]) + b"\n", name="copied.csv")
    screen = opened(audit, AUDIT)
    text = shown(screen)
    assert "Release 2 of 2: 99 rows of the real table stand in the release as they are" in text
    assert "All 2 releases together" in text
    assert "1 further release, 99 rows" in hints(screen)
