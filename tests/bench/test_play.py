"""Cells do not hang on one another, on interruptions or on shards; what is there is never played again."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from riskkit import registry
from riskkit.base import stages
from riskkit.errors import DesignError, ParameterError, ProgramFailed
from riskkit.generators import external
from riskkit.generators.engines import recipes, resident
from riskkit.generators.external import External
from riskkit.jobs.pool import Progress
from riskkit.questions.membership.plan import MembershipPlan
from riskkit_bench import play
from riskkit_bench.desk import desks
from riskkit_bench.origin import origin
from riskkit_bench.plan import read_plan
from riskkit_bench.results import CERTIFICATE, FILE, GAME, USE, Results, read
from riskkit_bench.usefulness import MEASURES
from tests.bench.made import PEOPLE, figures, plan, played

PROGRAM = Path(__file__).resolve().parents[1] / "generators" / "own_resident.py"
"""A steward's program that stays up."""


def cell_of(results: Results, kind: str, attack: str) -> Any:
    """The one cell of that kind and attack."""
    (only,) = [cell for cell in results.cells if (cell.kind, cell.attack) == (kind, attack)]
    return only


def test_a_bench_of_one_method_has_its_cells(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    result = played(of)
    assert [(cell.kind, cell.attack) for cell in result.cells] == [
        (CERTIFICATE, "certificate"),
        (FILE, "dcr"),
        (GAME, "neighbour"),
        *((USE, name) for name in sorted(MEASURES)),
    ]
    game, file = cell_of(result, GAME, "neighbour"), cell_of(result, FILE, "dcr")
    assert (game.auc[0], game.n, game.trainings) == (1.0, 20, 2 * (10 + 2 * 10)), "a copy of the table tells all"
    assert len(game.people) == 2
    (desk,) = desks(of.plan, of.folder()).values()
    chosen = MembershipPlan(targets=("vulnerable",), k=2).choose(desk.tables.real, "vulnerable").index
    assert [person.row for person in game.people] == desk.rows[chosen].tolist(), "rows are those of the file"
    assert desk.rows[chosen].tolist() != chosen.tolist()
    assert (file.auc[0], file.trainings) == (pytest.approx(1.0, abs=0.02), 1)
    assert file.n <= 2 * PEOPLE
    assert "300" in game.why, "too few trainings for 1 % false alarms, and it says so"
    assert cell_of(result, CERTIFICATE, "certificate").auc is None
    assert result.tables["made"]["rows"] == PEOPLE


def test_a_method_that_is_trained_is_said_to_be(tmp_path: Path) -> None:
    words: list[str] = []
    with stages.listener(lambda stage: words.append(stage.words)):
        played(plan(tmp_path, "identity"))
    assert words.count("Training once") == 1
    assert words.index("Training once") < words.index("Attacks on the release")


def test_a_new_method_or_attack_plays_only_its_own_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = played(plan(tmp_path, "identity"))
    wider = plan(tmp_path, "identity", "bayesnet", attacks='"neighbour", "likelihood"')
    asked: list[tuple[str, str, tuple[str, ...]]] = []
    timed = play._with_costs

    def noted(bench: Any, job: Any, missing: tuple[str, ...], *rest: Any) -> Any:
        asked.append((job.method, job.kind, missing))
        return timed(bench, job, missing, *rest)

    monkeypatch.setattr(play, "_with_costs", noted)
    both = played(wider, first)
    assert asked == [
        ("identity", GAME, ("likelihood",)),
        ("bayesnet", CERTIFICATE, ("certificate",)),
        ("bayesnet", GAME, ("neighbour", "likelihood")),
        ("bayesnet", FILE, ("dcr",)),
        ("bayesnet", USE, MEASURES),
    ]
    monkeypatch.undo()
    at_once = played(wider)
    assert figures(both) == figures(at_once), "and they are what they would be, had all been played together"
    assert both.sha256 == at_once.sha256
    (refused,) = [cell for cell in both.cells if (cell.method, cell.attack) == ("identity", "likelihood")]
    assert refused.auc is None
    assert "cannot say how probable a row is" in refused.why


class Killed(BaseException):
    """Ends the process as a signal does: nothing that refuses or fails is heard."""


def test_a_bench_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    of = plan(tmp_path, "bayesnet")
    whole = played(of, work=tmp_path / "other")
    units: list[Progress] = []

    def kill(now: Progress) -> None:
        units.append(now)
        if "Counted trainings" in now.stage and now.done % 10 == 4:
            raise Killed

    saved: list[Results] = []
    with pytest.raises(Killed):
        played(of, save=saved.append, progress=kill)
    assert len(saved) == 1, "the certificate was done, the games were not"
    pages = sorted((tmp_path / "units").glob("*/0*"))
    assert pages, "its units are kept"
    torn = pages[-1].read_bytes()
    pages[-1].write_bytes(torn[:-3])  # the last one was being written
    again: list[Progress] = []
    resumed = played(of, saved[-1], progress=again.append)
    assert resumed.sha256 == whole.sha256
    assert json.dumps(list(figures(resumed).values())) == json.dumps(list(figures(whole).values()))
    first = next(now for now in again if "game" in now.stage)
    assert first.done > 1, "what was kept is found, not played"
    assert not list((tmp_path / "units").glob("*/*")), "nothing is left of units whose cells are kept"


def test_a_killed_bench_counts_what_it_had_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by a second whenever it is asked, in each process from nought."""
    of, asked = plan(tmp_path, "bayesnet"), [0]

    def ticking(_: int) -> Callable[[], float]:
        asked[0] = 0

        def seconds() -> float:
            asked[0] += 1
            return float(asked[0])

        return seconds

    monkeypatch.setattr(play, "_clock", ticking)

    def cost(results: Results) -> float:
        return sum(cell.seconds for cell in results.cells if cell.kind == GAME)

    whole = cost(played(of, work=tmp_path / "other"))

    def kill(now: Progress) -> None:
        if "Counted trainings" in now.stage and now.done % 10 == 4:
            raise Killed

    saved: list[Results] = []
    with pytest.raises(Killed):
        played(of, save=saved.append, progress=kill)
    (spent,) = (tmp_path / "units").glob("*/spent")
    before = float(spent.read_text(encoding="ascii"))
    assert 1 < before < whole
    assert 0 <= cost(played(of, saved[-1])) - whole <= 1, "both parts are counted, one record at most twice"


def test_an_altered_unit_is_played_again(tmp_path: Path) -> None:
    of = plan(tmp_path, "bayesnet")
    whole = played(of, work=tmp_path / "other")

    def kill(now: Progress) -> None:
        if "Counted trainings" in now.stage and now.done % 10 == 4:
            raise Killed

    with pytest.raises(Killed):
        played(of, progress=kill)
    for page in (tmp_path / "units").glob("*/0*"):
        content = bytearray(page.read_bytes())
        content[-1] ^= 1
        page.write_bytes(content)
    assert played(of).sha256 == whole.sha256


def test_shards_come_to_the_same_as_one_bench(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity", "bayesnet")
    whole = played(of)
    parts = [played(of, shard=(number, 2), work=tmp_path / f"units{number}") for number in (1, 2)]
    assert [len(part.cells) for part in parts] == [2 * (1 + 1), 2 * (1 + len(MEASURES))]
    merged = parts[0].with_cells(parts[1].cells)
    assert merged.sha256 == whole.sha256
    assert figures(merged) == figures(whole)


def test_a_table_that_the_game_is_not_played_on_has_a_released_file_and_its_use_alone(tmp_path: Path) -> None:
    other = '[[table]]\nname = "other"\ntitle = "The same rows"\nreal = "made.csv"\nrows = 50'
    of = plan(tmp_path, "identity", more=other)
    every = played(of)
    with of.path.open("a", encoding="utf-8") as file:
        file.write('games = ["made"]\n')
    some = played(read_plan(of.path))
    assert {(cell.table, cell.kind) for cell in some.cells} == {
        ("made", CERTIFICATE),
        ("made", GAME),
        ("made", FILE),
        ("made", USE),
        ("other", FILE),
        ("other", USE),
    }
    assert figures(some).items() <= figures(every).items(), "no cell moves when a game is left out"


def test_results_come_back_and_altered_ones_are_refused(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity")
    result, path = played(of), tmp_path / "results.json"
    result.save(path)
    again = read(path, of)
    assert (again.sha256, again.cells) == (result.sha256, result.cells)
    path.write_text(path.read_text(encoding="utf-8").replace('"n": 20', '"n": 21'), encoding="utf-8")
    with pytest.raises(DesignError, match="are not as they were written"):
        read(path, of)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(DesignError, match="cannot be read as the results of a bench"):
        read(path, of)


def test_too_few_people_and_a_column_that_is_not_there_are_refused(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity", more='one_row_of = "nobody"')
    with pytest.raises(DesignError, match="Table 'made' has no column 'nobody'"):
        played(of)
    (tmp_path / "few").mkdir()
    of = plan(tmp_path / "few", "identity")
    of.path.write_text(of.path.read_text(encoding="utf-8").replace("rows = 60", "rows = 66"), encoding="utf-8")
    with pytest.raises(DesignError, match="too few people: 66 are wanted"):
        played(read_plan(of.path))


def test_one_row_a_person_is_taken(tmp_path: Path) -> None:
    of = plan(tmp_path, "identity", more='one_row_of = "who"')
    lines = (tmp_path / "made.csv").read_text(encoding="utf-8").splitlines()
    named = [f"{line},{'who' if index == 0 else f'p{(index - 1) // 2}'}" for index, line in enumerate(lines)]
    twice = [*named, *(line.rsplit(",", 1)[0] + f",q{index}" for index, line in enumerate(named[1:]))]
    (tmp_path / "made.csv").write_text("\n".join(twice) + "\n", encoding="utf-8")
    (desk,) = desks(of.plan, of.folder()).values()
    first = {index for index in range(130) if index % 2 == 0} | set(range(130, 260))
    assert set(desk.rows.tolist()) <= first, "the second row of a person is never drawn"
    assert "who" not in [column.name for column in desk.tables.schema.columns]


def own(how: str = "well") -> str:
    """A program that stays up and draws rows of its table, as a method of a plan."""
    return registry.spell(External(program=shlex.join([sys.executable, str(PROGRAM), how])))


@pytest.mark.second
def test_a_program_of_somebody_else_is_a_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It draws whole rows, so the nearest row tells who was in; what it took of a processor counts; it is ended."""
    note = tmp_path / "starts"
    monkeypatch.setenv("OWN_STARTS", str(note))
    of = plan(tmp_path, own())
    with pytest.raises(ParameterError, match="--allow-external"):
        played(of)
    monkeypatch.setenv(external.ALLOWED, "1")
    result = played(of)
    game, file = cell_of(result, GAME, "neighbour"), cell_of(result, FILE, "dcr")
    assert game.trainings == 2 * (10 + 2 * 10)
    # The two together, for either wanders with the seed.
    assert (game.auc[0] + file.auc[0]) / 2 > 0.6, "draws with replacement leave one person in three out"
    assert file.seconds > 0.02, "the start of its Python is more than that"
    pids = [int(line) for line in note.read_text().split()]
    assert pids
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    monkeypatch.delenv(external.ALLOWED)
    assert figures(played(of, result)) == figures(result), "what is there is not played, so nothing needs leave"


def test_what_cannot_be_played_is_said_of_its_table_and_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(external.ALLOWED, "1")
    of = plan(tmp_path, own("fails"))
    method = re.escape(own("fails"))
    try:
        for ask in (lambda: played(of), lambda: play.forecast(of, read(of.path.with_suffix(".json"), of), of.folder())):
            with pytest.raises(DesignError, match=f"^made, {method}, (game|file): The program"):
                ask()
    finally:
        resident.end_all()


def test_a_program_that_fails_is_asked_once_a_job_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = tmp_path / "starts"
    monkeypatch.setenv("OWN_STARTS", str(starts))
    monkeypatch.setenv(external.ALLOWED, "1")
    ends = own("ends")
    of = plan(tmp_path, ends, "bootstrap", attacks='"neighbour", "groundhog"')
    saved: list[Results] = []
    try:
        with pytest.raises(ProgramFailed) as failure:
            played(of, save=saved.append)
    finally:
        resident.end_all()
    lines = str(failure.value).splitlines()
    assert [
        line.startswith(f"made, {ends}, {kind}: ") for line, kind in zip(lines, (GAME, FILE, USE), strict=True)
    ] == [True] * 3
    assert len(starts.read_text().split()) == 3, (
        "one for the game, whatever the number of attacks, one for the file and one for its use"
    )
    cells = saved[-1].cells
    assert {(cell.method, cell.attack) for cell in cells if cell.kind == GAME} == {
        ("bootstrap", "neighbour"),
        ("bootstrap", "groundhog"),
    }
    assert {cell.method for cell in cells if cell.kind == FILE} == {"bootstrap"}


def test_another_version_of_a_program_has_cells_of_its_own(tmp_path: Path) -> None:
    of = plan(tmp_path, own())
    (part,) = of.plan.method
    versions = [replace(of.plan, method=(replace(part, version=version),)) for version in ("", "1.0", "1.1")]
    keys = [{key for job in play.jobs(version, tmp_path) for key in job.keys.values()} for version in versions]
    assert not keys[0] & keys[1]
    assert not keys[1] & keys[2]
    licensed = replace(of.plan, method=(replace(part, licence="MIT", title="Ours"),))
    assert {key for job in play.jobs(licensed, tmp_path) for key in job.keys.values()} == keys[0]


def test_a_recipe_that_says_something_else_has_cells_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ours.py").write_text('TITLE = "Ours 1.0"\nPINS = "ours==1.0"\nEPOCHS = 10\n', encoding="utf-8")
    monkeypatch.setattr(recipes, "FOLDER", tmp_path)
    made = recipes.Recipe("ours", "Ours 1.0", "MIT", pins=("ours==1.0",), chance="Rows alone.")
    monkeypatch.setattr(recipes, "recipes", lambda: {"ours": made})
    of = plan(tmp_path, "external:recipe=ours")
    source = origin(of.plan.method[0])
    assert (source.title, source.licence, source.chance) == ("Ours 1.0", "MIT", "Rows alone.")
    assert source.version.startswith("recipe ours, 1 packages, ")
    before = {key for job in play.jobs(of.plan, tmp_path) for key in job.keys.values()}
    (tmp_path / "ours.py").write_text('TITLE = "Ours 1.0"\nPINS = "ours==1.0"\nEPOCHS = 50\n', encoding="utf-8")
    assert not before & {key for job in play.jobs(of.plan, tmp_path) for key in job.keys.values()}
