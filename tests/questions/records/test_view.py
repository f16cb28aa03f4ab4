"""The view of a game for every record: everybody for those who may see rows, and no list of people for others."""

from riskkit.core import Estimate
from riskkit.questions.records.present import view
from riskkit.questions.records.result import RecordsResult
from riskkit.show.blocks import Group, Numbers, estimates, flat
from riskkit.show.model import Class
from riskkit.show.names import Names
from tests.report.audited import made
from tests.report.audited.made import record

ALL = Names.all_told({})
SHAREABLE = Names(Class.SHAREABLE, b"key", (), {})
MANY = [record(0, 0.9, fresh=(0.8, 0.1)), *(record(row, 0.5) for row in range(1, 30))]


def result(*overall: Estimate) -> RecordsResult:
    kept = made.records(MANY).result
    assert kept is not None
    return RecordsResult.from_plain({**kept, "estimates": [each.as_dict() for each in overall]})


def above(limit: str, value: float) -> Estimate:
    return Estimate("records_above", value, value - 1, value + 1, 0.95, "m", 200, {"limit": limit})


def tables(own: RecordsResult, names: Names) -> dict[str, Numbers]:
    return {block.key: block for block in flat(view(own, names)) if isinstance(block, Numbers)}


def test_everybody_is_in_the_files_of_those_who_may_see_rows_and_not_on_paper() -> None:
    own = tables(result(), ALL)
    assert [row[0] for row in own["people"].rows] == [*range(30)]
    risk = own["people"].rows[0][1]
    assert isinstance(risk, Estimate)
    assert str(own["fresh"].rows[0][2]).startswith(f"{risk.value:.2f} [")
    assert [row[0] for row in own["fresh"].rows] == [0]
    assert all(column.width == 0 for column in own["fresh"].columns)
    (group,) = (block for block in view(result(), ALL) if isinstance(block, Group) and block.key == "people")
    assert not group.on_paper


def test_no_list_of_people_and_no_small_count_is_for_others() -> None:
    """Planted: both are there for those who may see rows."""
    own = result(above("0.6", 20), above("0.7", 3))
    assert [row[0] for row in tables(own, ALL)["above"].rows] == ["0.60", "0.70"]
    assert next(tables(own, ALL)["above"].texts()) == ("0.60", "20 [19, 21]", 200)
    shown = tables(own, SHAREABLE)
    assert set(shown) == {"above"}
    assert [row[0] for row in shown["above"].rows] == ["0.60"]
    risks = [each for each in estimates(view(own, SHAREABLE)) if each.name == "auc"]
    assert len(risks) == 1
    assert risks[0].labels["record"].startswith("R-")
