"""What is in the server's memory of an upload and of its audit, and that it goes when the audit is closed."""

import gc
import weakref
from dataclasses import dataclass
from typing import Any

import pytest
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from riskkit.dashboard.frame import state
from riskkit.jobs.store import Audit
from tests.pages.screens import AUDIT, csv, loaded, opened


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Any]]:
    """The typed tables that pages have read, as long as somebody holds them."""
    seen: list[weakref.ref[Any]] = []
    read = Audit.tables

    def tables(self: Audit, *arguments: Any) -> Any:
        made = read(self, *arguments)
        seen.extend(weakref.ref(part) for part in (made.real.codes, made.real.numbers))
        return made

    monkeypatch.setattr(Audit, "tables", tables)
    return seen


def alive(held: list[weakref.ref[Any]]) -> int:
    gc.collect()
    return sum(reference() is not None for reference in held)


@pytest.mark.parametrize("way", ["side.new", "side.audit"], ids=["closed", "another is opened"])
def test_the_tables_of_an_audit_go_when_it_is_closed(way: str, held: list[weakref.ref[Any]]) -> None:
    other = loaded(real=csv(seed=4))
    screen = opened(loaded(real=csv(), synthetic=csv(seed=1)), AUDIT)
    assert alive(held) >= 2, "they are held while the audit is open"
    before = list(held)
    if way == "side.audit":
        screen.sidebar.selectbox[0].set_value(other.id).run()
    else:
        screen.button(key=way).click().run()
    assert not screen.exception
    assert alive(before) == 0


@dataclass
class Context:
    """A session, and the manager of uploads that a server has."""

    uploaded_file_mgr: MemoryUploadedFileManager
    session_id: str = "session"


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Context:
    made = Context(MemoryUploadedFileManager("/upload"))
    monkeypatch.setattr(state, "get_script_run_ctx", lambda: made)
    return made


def uploaded(context: Context, name: str) -> UploadedFile:
    record = UploadedFileRec(file_id=name, name=f"{name}.csv", type="text/csv", data=csv())
    context.uploaded_file_mgr.add_file(context.session_id, record)
    return UploadedFile(record, FileURLs(file_id=name))


def kept(context: Context) -> list[str]:
    names = ["real", "refused"]
    return [file.file_id for file in context.uploaded_file_mgr.get_files(context.session_id, names)]


def test_the_server_forgets_an_upload_once_it_is_in_the_store_and_every_other_when_the_audit_is_closed(
    context: Context,
) -> None:
    taken, refused = uploaded(context, "real"), uploaded(context, "refused")
    assert kept(context) == ["real", "refused"]
    state.forget(taken)
    assert kept(context) == ["refused"]
    del refused
    state.forget_uploads()
    assert kept(context) == []
