"""Risk against the number of releases: which counts are looked at, what is counted, and the sentence, by hand."""

import pytest

from riskkit.dashboard.pages.records_people import against_releases
from riskkit.figures import blocks
from riskkit.questions.records import result as findings
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.records.releases import After, Growth, counts, growth, half_above, sentences
from riskkit.table.load import Tables
from tests.tables import mixed


def series(*aucs: float, counts: tuple[int, ...] = (1, 2, 3, 4)) -> list[After]:
    """One person's AUC after each count."""
    return [After(count, auc, auc, auc) for count, auc in zip(counts, aucs, strict=True)]


EACH = [series(0.55, 0.6, 0.65, 0.7), series(0.6, 0.7, 0.81, 0.9), series(0.7, 0.79, 0.85, 0.96), series(0.9, 1, 1, 1)]


def test_every_count_at_first_then_larger_steps() -> None:
    assert counts(1) == (1,)
    assert counts(4) == (1, 2, 3, 4)
    assert counts(30) == (*range(1, 13), 15, 19, 24, 30)


def test_people_above_the_limit_are_counted_after_each_release() -> None:
    after = growth(EACH, 0.8)
    assert [entry.above for entry in after] == [1, 1, 3, 3]
    assert [entry.median for entry in after] == pytest.approx([0.65, 0.745, 0.83, 0.93])
    assert growth([], 0.8) == growth([[]], 0.8) == ()


def test_the_sentence_names_the_release() -> None:
    text = sentences(growth(EACH, 0.8), is_set=True)
    assert text.startswith("After release 3 half of these people stand above 0.8. ")
    assert text.endswith("0.65 on the median person after one release, and 0.93 after 4.")
    assert sentences(growth(EACH, 0.65), is_set=True).startswith("After one release half")
    assert sentences(growth(EACH, 0.999), is_set=True).startswith("After 4 releases fewer than half")
    assert sentences(growth(EACH, 0.5), is_set=False).startswith("The best attack")
    skipped = growth([series(0.5, 0.9, counts=(12, 15))], 0.8)
    assert sentences(skipped, is_set=True).startswith("After release 12, and at the latest after release 15, half")


def test_half_is_half() -> None:
    first, second = Growth(1, 0.5, 0.5, 0.5, 1, 3, 0.8), Growth(2, 0.5, 0.5, 0.5, 2, 4, 0.8)
    assert half_above([first, second]) == (2, 1)
    assert half_above([first]) is None


def test_the_error_of_drawn_rows_is_kept_beside_the_median() -> None:
    each = [[After(1, 0.6, 0.55, 0.7)], [After(1, 0.7, 0.65, 0.8)], [After(1, 0.9, 0.8, 0.95)]]
    (entry,) = growth(each, 0.65)
    assert (entry.median, entry.low, entry.high, entry.above) == (0.7, 0.65, 0.8, 2)


@pytest.mark.parametrize("releases", [1, 3])
def test_a_run_keeps_the_series_and_the_page_draws_it(releases: int) -> None:
    table = mixed(60, missing=False)
    plan = RecordsPlan(
        "histogram",
        "random:4",
        inside=12,
        outside=12,
        shadows=4,
        again=0,
        n_syn=20,
        certificate=True,
        releases=releases,
    )
    result = run_records(Tables(table, None, None, table.schema, (), ()), plan)
    finding = findings.read(result, 0.6)
    assert [after.releases for after in finding.growth] == ([] if releases == 1 else [1, 2, 3])
    if releases == 1:
        assert all("after" not in record["certificate"] for record in result.plain()["records"])
        return
    figure = blocks.figure(against_releases(finding))
    assert list(figure.data[0].x) == [1, 2, 3]
    assert list(figure.data[1].y) == [after.share for after in finding.growth]
    assert "release" in figure.layout.meta
