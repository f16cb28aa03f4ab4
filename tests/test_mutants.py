"""The table of faults fits the code and the tests of today; that each is caught takes ``benchmarks/mutants.py``."""

from pathlib import Path

import pytest

from benchmarks.mutants import ROOT, Fault, faults, page, planted

FAULTS = faults()


def test_there_are_many_and_each_has_a_name_of_its_own() -> None:
    assert len(FAULTS) >= 40
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def wrong(fault: Fault) -> str:
    """What of it does not fit the code of today; empty where all does."""
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        return f"its text stands {text.count(fault.old)} times in {fault.file}"
    compile(fault.planted(text), fault.file, "exec")
    is_whole = fault.planted(text) != text and fault.means.endswith(".") and fault.tests
    return "" if is_whole and all((ROOT / test).is_file() for test in fault.tests) else "it is not whole"


def test_what_is_replaced_stands_there_once_and_leaves_a_program() -> None:
    """Where it does not, the code was changed: write the fault anew for it in benchmarks/mutants.toml."""
    assert {fault.name: says for fault in FAULTS if (says := wrong(fault))} == {}


def test_a_text_that_does_not_stand_there_just_once_fails_loudly() -> None:
    fault = Fault("twice", "a.py", "x = 1", "x = 2", "Two.", ("tests/test_mutants.py",))
    for text, times in ("y = 1\n", 0), ("x = 1\nx = 1\n", 2):
        with pytest.raises(ValueError, match=f"'twice': its text stands {times} times in a.py"):
            fault.planted(text)


def test_a_fault_is_gone_when_it_was_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    fault = Fault("one", "a.py", "x = 1", "x = 2", "Two.", ())
    with planted(tmp_path, fault):
        assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 2\n"
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 1\n"
    assert "0 of" in page([])
