"""The self-test: it agrees on a sound installation, and differs where the engine has a fault."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.audit import give_aways, selftest
from riskkit.audit.output_files import PACK, outputs
from riskkit.audit.report_facts import versions
from riskkit.audit.selftest import CHECKS, PlantedCheck
from riskkit.audit.selftest_result import KEPT, SelfTest, SelftestCheck, keep, last
from riskkit.questions.membership.play import as_scores
from riskkit.report.pack import verify
from riskkit.stats import epsilon, optimal
from tests.report.audited import made

SOUND = PlantedCheck("sound", "a leak of one half", lambda: ("0.50", "0.50", True))
WRONG = PlantedCheck("wrong", "a leak of one", lambda: ("1.00", "0.50", False))


def measured(name: str) -> bool:
    """Whether that check agrees."""
    return next(check for check in CHECKS if check.name == name).measure()[2]


@pytest.mark.slow
def test_this_installation_measures_every_planted_leak_rightly() -> None:
    """Half a minute; run twice it gives the same bytes."""
    result = selftest.selftest()
    assert [check.name for check in result.checks if not check.passed] == []
    assert len(result.checks) == len({check.name for check in result.checks}) >= 9
    assert result.as_dict() == selftest.selftest().as_dict()


def test_the_quick_checks_agree() -> None:
    assert all(measured(name) for name in ("copies", "order", "rare chain"))


def test_a_holdout_of_real_people_is_never_within() -> None:
    assert measured("wrong holdout")


@pytest.mark.second
@pytest.mark.parametrize("name", ["another code", "unread column"])
def test_files_that_hide_real_people_are_never_within(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert measured(name)
    monkeypatch.setattr("riskkit.report.build.doubts", lambda *asked: ())
    assert not measured(name), "without the guard the wrong files are as good as the right ones"


def one_side(scores: Any) -> Any:
    """An attack that is told the truth."""
    return [replace(each, value=each.is_in.astype(np.float64)) for each in scores]


def taught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "as_scores", lambda *asked: one_side(as_scores(*asked)))


def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    real = optimal._half_width
    monkeypatch.setattr(optimal, "_half_width", lambda *asked: min(real(*asked), optimal.DECIDED) / 10)
    monkeypatch.setattr(optimal, "ASTRAY", np.inf)


def boastful(monkeypatch: pytest.MonkeyPatch) -> None:
    real = epsilon.epsilon_lower
    monkeypatch.setattr(epsilon, "epsilon_lower", lambda scores: replace(real(scores), value=real(scores).high))


def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    real = give_aways.look
    monkeypatch.setattr(selftest, "look", lambda tables: real(replace(tables, synthetic=tables.holdout)))


@pytest.mark.parametrize(
    ("name", "fault"), [("chance", taught), ("rare chain", narrow), ("epsilon", boastful), ("copies", blind)]
)
def test_a_fault_of_the_engine_is_seen(
    name: str, fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert not measured(name)


@pytest.mark.parametrize(("checks", "code"), [((SOUND,), 0), ((SOUND, WRONG), 1)])
def test_the_command_says_what_agrees_and_what_differs(
    checks: tuple[PlantedCheck, ...],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    call: Callable[..., str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(selftest, "CHECKS", checks)
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    printed = call(["selftest"], code)
    assert printed.count("DIFFERS") == code
    assert f"1 of {len(checks)} planted leaks were measured rightly." in printed
    printed = json.loads(call(["selftest", "--json", "--out", str(tmp_path / "own.json")], code))
    assert printed == json.loads((tmp_path / "own.json").read_text(encoding="utf-8"))
    assert (printed["passed"], [check["passed"] for check in printed["checks"]]) == (
        code == 0,
        [True, False][: len(checks)],
    )
    assert last(tmp_path) == (tmp_path / "own.json").read_bytes()


def test_only_a_self_test_of_this_very_installation_is_evidence(tmp_path: Path) -> None:
    assert last(tmp_path) is None
    check = SelftestCheck("sound", "a leak", "0.50", "0.50", True, 1.0)
    keep(SelfTest((check,), {**versions(), "numpy": "0.1"}), tmp_path)
    assert last(tmp_path) is None
    kept = keep(SelfTest((check,), versions()), tmp_path)
    assert last(tmp_path) == kept == keep(SelfTest((replace(check, seconds=9.0),), versions()), tmp_path)
    (tmp_path / KEPT).write_text("half a fi", encoding="utf-8")
    assert last(tmp_path) is None


def test_the_evidence_pack_holds_the_last_self_test() -> None:
    findings = made.findings(made.random(1))
    content = keep_nowhere()
    with_it = outputs(findings, selftest=content)
    with zipfile.ZipFile(io.BytesIO(with_it[PACK])) as archive:
        assert archive.read(KEPT) == content
        assert KEPT in json.loads(archive.read("MANIFEST.json"))["files"]
    assert verify(with_it[PACK]) == []
    assert KEPT not in with_it
    with zipfile.ZipFile(io.BytesIO(outputs(findings)[PACK])) as archive:
        assert KEPT not in archive.namelist()


def keep_nowhere() -> bytes:
    return json.dumps(SelfTest((), versions()).as_dict()).encode()
