"""Two people on a dashboard that runs: neither sees a cell of the other's; and what is closed is not in its memory."""

import asyncio
import re
import secrets
import sys
from pathlib import Path

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.soak import server_process
from riskkit.jobs.store import Audit, Store
from tests.conftest import Server, dashboard
from tests.dashboard.tabs import Tab

pytestmark = pytest.mark.second

PAGES = ("", "data", "membership", "records", "report", "attributes", "audits")
ROWS = 60_000
TOPS = {"one": 90_001, "other": 90_002}
"""The one cell in which two files differ: the largest value of a column, which the page Data says."""


def table(top: int, rows: int) -> bytes:
    rng = np.random.default_rng(1)
    age, ward, score = rng.integers(18, 90, rows), rng.choice(list("EWSX"), rows), rng.integers(0, 800, rows)
    score[777] = top
    lines = [f"{a},{w},{s}" for a, w, s in zip(age, ward, score, strict=True)]
    return ("age,ward,score\n" + "\n".join(lines) + "\n").encode()


def made(top: int, rows: int) -> Audit:
    """An audit of the same name, files of the same names, rows and columns."""
    audit = Store.default().create("The same study")
    audit.load("real", table(top, rows), name="real.csv")
    audit.load("synthetic", table(1, rows), name="synthetic.csv")
    return audit


async def tab(server: Server, audit: Audit | None) -> Tab:
    opened = Tab(server.url, f"audit={audit.id}" if audit else "", server.cookie)
    await opened.open()
    return opened


def crossed(seen: dict[str, bytes], audits: dict[str, Audit], page: str) -> list[str]:
    """What is wrong with what each was shown on that page."""
    wrong = []
    for name, text in seen.items():
        (other,) = set(audits) - {name}
        own, theirs = (audits[person].files["real"]["sha256"].encode() for person in (name, other))
        if own not in text or theirs in text:
            wrong.append(f"{name} sees the file of {other}" if theirs in text else f"{name} does not see the own file")
        if page == "data" and (f"{TOPS[name]:,}".encode() not in text or f"{TOPS[other]:,}".encode() in text):
            wrong.append(f"{name} sees the cell of {other}, or not the own one")
    return wrong


async def interleaved(server: Server, audits: dict[str, Audit], steps: int) -> tuple[int, list[str]]:
    """How often somebody looked at a page while the other did, and what was wrong; tabs are closed and opened anew."""
    rng, looks = np.random.default_rng(7), 0
    tabs: dict[str, Tab] = {}
    wrong: list[str] = []
    last = dict.fromkeys(audits, "")
    for step in range(steps):
        for name in audits:
            if name not in tabs or rng.random() < 0.05:
                if name in tabs:
                    await tabs[name].close()
                tabs[name], last[name] = await tab(server, audits[name]), "none"
        who = [name for name in audits if rng.random() < 0.8] or [list(audits)[step % 2]]
        page = str(rng.choice([page_there for page_there in PAGES if page_there not in last.values()]))
        for name in who:
            tabs[name].forget()
        await asyncio.gather(*(tabs[name].click(page) for name in who))
        looks += len(who)
        last |= dict.fromkeys(who, page)
        wrong += crossed({name: tabs[name].sent_bytes for name in who}, audits, page)
    for tab_open in tabs.values():
        await tab_open.close()
    return looks, wrong


@pytest.mark.parametrize(
    ("steps", "rows", "is_timed"), [(12, 6_000, False), pytest.param(200, ROWS, True, marks=pytest.mark.slow)]
)
def test_two_people_whose_files_differ_in_one_cell_never_see_the_others(
    steps: int, rows: int, is_timed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    with dashboard(tmp_path / "home", is_timed=is_timed) as server:
        audits = {name: made(top, rows) for name, top in TOPS.items()}
        looks, wrong = asyncio.run(interleaved(server, audits, steps))
    assert looks >= steps
    assert wrong == []


# --- memory -----------------------------------------------------------------------------------------------------


def held(pid: int, mark: bytes) -> int:
    """How often that text is in the memory of that process, in its own part and in what libraries share."""
    count = 0
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            writable = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if writable is None:
                continue
            start, end = (int(number, 16) for number in writable.groups())
            try:
                memory.seek(start)
                count += memory.read(end - start).count(mark)
            except (OSError, ValueError, OverflowError):
                continue
    return count


@pytest.mark.skipif(sys.platform != "linux", reason="looks into the memory of a process as Linux shows it")
def test_an_upload_is_gone_from_the_servers_memory_when_its_audit_is_closed(tmp_path: Path) -> None:
    """3,000 cells of one word that is nowhere else, put in by a page, shown, closed; the same bytes are looked for."""
    mark = f"Quokka{secrets.token_hex(8)}".encode()
    words = [f"{mark.decode()}{number:04d}" for number in range(3_000)]
    content = ("word,age\n" + "\n".join(f"{word},{row % 90}" for row, word in enumerate(words)) + "\n").encode()

    async def go(server: Server) -> dict[str, int]:
        pid, counts = server_process(server), {}
        visitor_tab, browser = await tab(server, None), server.visitor()
        browser.open(f"{server.url}/_stcore/health").close()
        await visitor_tab.click("data")
        counts["before"] = held(pid, mark)
        state = WidgetState(id=visitor_tab.ids("file_uploader")["upload_real"])
        info = state.file_uploader_state_value.uploaded_file_info.add(file_id="f1", name="words.csv", size=len(content))
        info.file_urls.file_id = "f1"
        assert visitor_tab.put(browser, "f1", "words.csv", content) == 204
        counts["uploaded"] = held(pid, mark)
        await visitor_tab.act("data", states=[state])
        await visitor_tab.act("data", states=[])
        counts["shown"] = held(pid, mark)
        close = WidgetState(id=visitor_tab.ids("button")["side.new"], trigger_value=True)
        await visitor_tab.act("data", states=[close])
        await asyncio.sleep(2.0)
        counts["closed"] = held(pid, mark)
        await visitor_tab.close()
        return counts

    with dashboard(tmp_path / "home") as server:
        counts = asyncio.run(go(server))
    assert counts["before"] == 0
    assert counts["uploaded"] >= 3_000
    assert counts["shown"] > 0
    assert counts["closed"] == 0, counts
