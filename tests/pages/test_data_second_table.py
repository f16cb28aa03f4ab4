"""A second table on the Data page: where it is dropped, how it is joined, what is shown of the join."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from riskkit.core import Role
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.questions.released.plan import ReleasedPlan
from sample_data import two_tables
from tests.pages.screens import drop, loaded, opened, press, refusals, refuses_nothing, shown

pytestmark = pytest.mark.second

SLOTS = {"real": "real", "synthetic": "release", "holdout": "holdout"}
HEADING = "The second table"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """The files of the made cohort, by slot."""
    two_tables.write(tmp_path, "none", 60, 3)
    return {
        f"{before}{slot}": (tmp_path / f"{table}_{name}.csv").read_bytes()
        for before, table in (("", "patients"), ("children_", "visits"))
        for slot, name in SLOTS.items()
    }


@pytest.fixture
def audit(files: dict[str, bytes]) -> Audit:
    """The first table alone."""
    return loaded(**{slot: content for slot, content in files.items() if slot in SLOTS})


def test_dropped_files_are_joined_by_the_one_column_they_share(audit: Audit, files: dict[str, bytes]) -> None:
    screen = opened(audit)
    assert "upload_children_real" not in {str(uploader.key) for uploader in screen.file_uploader}
    screen.checkbox(key=f"second_{audit.id}").check().run()
    for slot in ("children_real", "children_synthetic", "children_holdout"):
        drop(screen, slot, files[slot])
        assert refuses_nothing(screen)
        assert not refusals(screen)
    assert {name: choice.role for name, choice in audit.choices.items()} == {"patient": Role.PERSON}
    assert HEADING in shown(screen)
    joined = next(frame.value for frame in screen.dataframe if "Rows a person" in frame.value)
    children = audit.tables().children
    assert children is not None
    sizes = [int(children.joins[slot].sizes.sum()) for slot in SLOTS]
    assert joined["Rows of the second table"].tolist() == [f"{size:,}" for size in sizes]
    assert joined["Rows that belong to nobody"].tolist() == ["0"] * 3


def test_tables_that_share_no_column_are_not_joined(audit: Audit) -> None:
    audit.load(
        "children_real", b"who,x\n" + b"".join(b"%d,%d\n" % (index, index % 3) for index in range(60)), name="other.csv"
    )
    screen = opened(audit)
    assert "The two tables share no column" in shown(screen)
    assert "no column is said to name the person" in shown(screen)
    screen.button(key="drop_children_real").click().run()
    assert not refusals(screen)


def test_the_command_of_a_run_names_the_second_table(audit: Audit, files: dict[str, bytes]) -> None:
    for slot, content in files.items():
        audit.load(slot, content, name=f"{slot}.csv")
    command = ReleasedPlan(attacks=("mixed",)).command(**{"real": "", **audit.paths})
    assert "--children-real children_real.csv --children-synthetic children_synthetic.csv" in command


def test_kinds_and_roles_of_the_second_table_are_decided_beside_those_of_the_first(
    audit: Audit, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for slot, content in files.items():
        audit.load(slot, content, name=f"{slot}.csv")
    audit.choose_unit("patient", Role.PERSON)
    drawn: list[pd.DataFrame] = []

    def edited(frame: pd.DataFrame, **settings: Any) -> pd.DataFrame:
        drawn.append(frame.copy())
        frame.loc[frame["column"] == "ward (second table)", "role"] = "ignored"
        return frame

    monkeypatch.setattr(st, "data_editor", edited)
    screen = opened(audit)
    named = drawn[0]["column"].tolist()
    assert named[-4:] == [f"{name} (second table)" for name in ("day", "diagnosis", "ward", "cost")]
    assert named.count("patient") == 1, "the key is decided about once"
    press(screen, "columns_save")
    assert audit.choices["children:ward"] == ColumnChoice(role=Role.IGNORED)
    children = audit.tables().children
    assert children is not None
    assert "ward" not in {column.name for column in children.schema.modelled}
    text = '{"patient": {"role": "person"}, "children:ward": {"role": "ignored"}}'
    assert {name: ColumnChoice.from_dict(choice) for name, choice in json.loads(text).items()} == audit.choices


def test_values_of_the_second_table_that_hardly_meet_are_asked_about(audit: Audit, files: dict[str, bytes]) -> None:
    text = files["children_synthetic"].decode()
    for ward in two_tables.WARDS:
        text = text.replace(f",{ward},", f",{ward[0].upper()}-unit,")
    for slot, content in {**files, "children_synthetic": text.encode()}.items():
        audit.load(slot, content, name=f"{slot}.csv")
    audit.choose_unit("patient", Role.PERSON)
    screen = opened(audit)
    assert "ward (second table): 0 % of the released values" in shown(screen).replace("**", "").replace("0%", "0 %")
    press(screen, "meeting_differ_children:ward")
    assert audit.choices["children:ward"] == ColumnChoice(differs=True)
    assert "Do these values mean the same?" not in shown(screen)
