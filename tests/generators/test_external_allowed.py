"""The steward's own generator: where it is allowed, and the whole way from the command line to the finding."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from joblib.externals.loky import get_reusable_executor

from riskkit import registry
from riskkit.cli import main
from riskkit.errors import DesignError, InputError, ParameterError
from riskkit.generators import external
from riskkit.generators.external import External
from riskkit.jobs.engines import Chunks, Work, beside
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import release_beside, run_membership
from riskkit.table.load import read_table
from riskkit.table.write import to_csv
from tests.generators.own_generator import FORMS, HERE, MODELS, command, refused, rng, sampled
from tests.generators.own_program import CANARY
from tests.tables import mixed

pytestmark = pytest.mark.usefixtures("temp")


@pytest.fixture(autouse=True)
def _workers_of_its_own() -> Iterator[None]:
    """Worker processes keep what was allowed when they were started; those of another test are none of ours."""
    get_reusable_executor().shutdown(wait=True)
    yield
    get_reusable_executor().shutdown(wait=True)


# --- allowed or not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", FORMS[:2], ids=["command", "python"])
def test_it_is_refused_where_riskkit_was_not_started_for_it(
    generator: External, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = generator.fit(mixed(50), rng())
    monkeypatch.delenv(external.ALLOWED)
    monkeypatch.delenv(external.OFFERED)
    assert not External.is_offered()
    assert "riskkit was not started for that. Start it with --" in refused(generator)
    assert registry.parse("generators", registry.spell(generator)) == generator  # a stored plan can still be read
    if not generator.python:
        with pytest.raises(ParameterError, match="not started"):
            fitted.sample(10, rng())


def test_the_right_to_run_programs_is_none_to_load_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that comes from elsewhere may name any object there is; only those that were named here are loaded."""
    monkeypatch.setenv(external.OFFERED, "")
    way = f"Start it with --external-python {MODELS}:Bootstrap; --allow-external is for programs alone."
    assert way in refused(External(python=f"{MODELS}:Bootstrap"))
    external.name_objects([f"{MODELS}:Plain"])
    assert f"The Python object {MODELS}:Bootstrap is not used" in refused(External(python=f"{MODELS}:Bootstrap"))
    external.name_objects([f"{MODELS}:Bootstrap"])
    for name in ("Plain", "Bootstrap"):
        assert len(sampled(External(python=f"{MODELS}:{name}"), mixed(50))) == 50
    with pytest.raises(ParameterError, match="package"):
        external.name_objects(["nonsense"])


def test_an_object_that_was_named_at_the_start_is_allowed_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(external.ALLOWED)
    monkeypatch.setenv(external.OFFERED, "")
    external.offer([f"{MODELS}:Bootstrap"])
    assert External.is_offered()
    (python,) = (setting for setting in registry.settings(External) if setting.name == "python")
    assert python.choices == ("", f"{MODELS}:Bootstrap")
    assert len(sampled(External(python=f"{MODELS}:Bootstrap"), mixed(50))) == 50
    assert "with --external-python" in refused(External(python=f"{MODELS}:Plain"))
    assert "with --allow-external" in refused(External(command=command()))
    with pytest.raises(DesignError, match="cannot be loaded"):
        external.offer([f"{MODELS}:nowhere"])
    with pytest.raises(ParameterError, match="package"):
        external.offer(["nonsense"])


@pytest.mark.parametrize(
    ("words", "allowed", "offered"),
    [
        ([], None, None),
        (["--allow-external"], "1", None),
        (["--external-python", f"{MODELS}:Bootstrap", "--external-python", f"{MODELS}:Plain"], None,
         f"{MODELS}:Bootstrap,{MODELS}:Plain"),
    ],
)  # fmt: skip
def test_the_server_is_started_with_what_was_allowed(
    words: list[str], allowed: str | None, offered: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[dict[str, str]] = []

    def become(*_: object) -> int:
        started.append(dict(os.environ))
        return 0

    for name in (external.ALLOWED, external.OFFERED, "PYTHONPATH", "RISKKIT_OPEN"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "execve", become)
    assert main(["app", *words]) == 0
    assert (started[0].get(external.ALLOWED), started[0].get(external.OFFERED)) == (allowed, offered)
    assert started[0]["RISKKIT_OPEN"] == "sample"
    assert (str(tmp_path) in started[0].get("PYTHONPATH", "")) is bool(offered)


@pytest.mark.second
def test_helper_processes_that_are_used_again_are_allowed_what_is_allowed_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """They live on from run to run; what was named after the first run must be known to them in the second."""
    monkeypatch.setenv(external.OFFERED, "")
    monkeypatch.delenv(external.ALLOWED)

    def played(generator: External) -> list[str]:
        done = beside(Work(_trained, generator, range(2), ()), Chunks(range(2), 2), 2)
        return [str(part.error or "") or part.results[0] for part in done]

    assert all("was not started for that" in error for error in played(External(command=command())))
    external.allow()
    assert played(External(command=command())) == ["40 rows"] * 2
    external.name_objects([f"{MODELS}:Bootstrap"])
    assert played(External(python=f"{MODELS}:Bootstrap")) == ["40 rows"] * 2
    monkeypatch.delenv(external.ALLOWED)
    assert all("was not started for that" in error for error in played(External(command=command())))


def _trained(generator: External, units: list[int]) -> list[str]:
    """A training of each unit, in whichever process this is."""
    return [f"{len(sampled(generator, mixed(60), 40, seed))} rows" for seed in units]


def test_the_server_does_not_start_with_an_object_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["app", "--external-python", "no_such_package.x:Y"]) == 2
    assert "no_such_package.x:Y cannot be loaded: ModuleNotFoundError" in capsys.readouterr().err


# --- the whole way --------------------------------------------------------------------------------------------------


@pytest.fixture
def real(tmp_path: Path) -> Path:
    file = tmp_path / "the real.csv"
    file.write_bytes(to_csv(mixed(80)))
    return file


@pytest.mark.second
@pytest.mark.parametrize(
    "generator",
    [pytest.param(FORMS[0], id="command", marks=pytest.mark.slow), pytest.param(FORMS[1], id="python")],
)
def test_a_game_through_the_command_line_finds_the_leak_and_repeats(
    generator: External, real: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(external.ALLOWED, "0")
    monkeypatch.delenv(external.OFFERED)
    spelled = registry.spell(generator)
    words = ["membership", "--real", str(real), "--generator", spelled, "--attack", "neighbour:own=3"]
    words += ["--trainings", "10", "--generations", "2", "--n-syn", "300", "--seed", "3", "--json"]
    assert main(words) == 2
    assert "riskkit was not started for that" in capsys.readouterr().err
    outputs = []
    for workers in ("1", "2"):
        assert main([*words, *shlex.split(generator.flag), "--workers", workers]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    (auc,) = (e for e in json.loads(outputs[0])["estimates"] if e["name"] == "auc")
    assert auc["generator"] == spelled
    assert auc["value"] > 0.9  # 300 draws of 80 rows hold nearly every one of them
    assert auc["n"] == 10


@pytest.mark.second
def test_the_command_of_a_plan_works_when_it_is_pasted(real: Path) -> None:
    arguments = ["|a,b", 'c"d', "$HOME", "it's", "=:;\\"]
    script = real.parent / "own, program.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(HERE.parents[1])!r})\n"
        "from tests.generators.own_program import main\n"
        f"assert sys.argv[5:] == {arguments!r}, sys.argv\n"
        "main('bootstrap', *sys.argv[1:5])\n",
        encoding="utf-8",
    )
    program = f"{shlex.join([sys.executable, str(script)])} {{train}} {{n}} {{seed}} {{out}} {shlex.join(arguments)}"
    spelled = registry.spell(External(command=program, timeout=30))
    plan = MembershipPlan(generators=(spelled,), attacks=("neighbour:own=2",), trainings=4, generations=1, n_syn=40)
    assert MembershipPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    line = plan.command(str(real)).replace("riskkit", f"{shlex.quote(sys.executable)} -m riskkit", 1) + " --json"
    env = {name: value for name, value in os.environ.items() if name != external.ALLOWED}
    done = subprocess.run(["/bin/sh", "-c", line], cwd=HERE.parents[1], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["settings"]["generators"] == [spelled]
    assert document["estimates"] == run_membership(read_table(real), plan).as_dict()["estimates"]


@pytest.mark.second
def test_a_forecast_times_as_many_programs_at_once_as_a_run_will_start(tmp_path: Path) -> None:
    program = shlex.join([sys.executable, str(HERE / "own_meeting.py"), "2", str(tmp_path)])
    spelled = registry.spell(External(command=f"{program} {{train}} {{n}} {{seed}} {{out}}", timeout=60))
    plan = MembershipPlan(generators=(spelled,), attacks=("neighbour:own=2",), trainings=6, generations=1, n_syn=30)
    game = plan.game(plan.people(mixed(40), None), plan.cells()[0], plan.choose(mixed(40), plan.targets[0]))
    fitted = game.generator.fit(mixed(40), rng())
    release, seconds = release_beside(game, fitted, rng(), 2)
    assert (len(release), seconds > 0) == (30, True)
    assert "2" in (tmp_path / "met").read_text().split()
    assert not External(python=f"{MODELS}:Bootstrap").runs_anew


def test_only_a_plan_with_it_has_its_flag() -> None:
    assert "--allow-external" not in MembershipPlan().command("real.csv")
    assert MembershipPlan(generators=("stat", "external")).command("real.csv").count("--allow-external") == 1
    named = MembershipPlan(generators=("external:python=a.b:C",)).command("real.csv")
    assert named.endswith("--external-python a.b:C")
    assert "--allow-external" not in named
    assert "--real 'the real.csv' " in MembershipPlan().command("the real.csv")


def test_problems_of_the_file_keep_their_kind() -> None:
    with pytest.raises(InputError) as refusal:
        sampled(External(command=command("extra_column")), mixed(50))
    assert refusal.value.problem.code == "extra_column"
    assert CANARY not in json.dumps(refusal.value.problem.as_dict())
