"""The script that fetches the public tables: from an address, from a folder, and what it says of a wrong one."""

import gzip
import importlib.util
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

from riskkit_bench.plan import read_plan
from tests.tables import DATA, needs_adult

LEAKS = Path(__file__).resolve().parents[2] / "docs" / "leaks"

Fetch = Callable[..., tuple[int, str]]
ADULT = "39, State-gov, 77516\n50, ?, 83311\n\n"
SHOPS = "Time,Rate,Weekend\n35.8,8e-04,FALSE\n0.0,7.50e-05,TRUE\n"
SPELLED = "Time,Rate,Weekend\n35.8,0.0008,False\n0,7.5e-05,True\n"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch", LEAKS / "fetch.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fetch"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def published(tmp_path: Path) -> Iterator[str]:
    """A server of this computer that publishes two tables; its address."""
    folder = tmp_path / "published"
    folder.mkdir()
    with zipfile.ZipFile(folder / "adult.zip", "w") as packed:
        packed.writestr("old/adult.data", ADULT)
    (folder / "the shops.csv.gz").write_bytes(gzip.compress(SHOPS.encode()))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    """A server that writes no log."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def fetch(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Fetch:
    """Run the script, which knows of the two tables at an address alone; how it ended, and what it said."""
    headed = f"{script.ADULT_COLUMNS}\n39,State-gov,77516\n50,?,83311\n"

    def run(address: str, *words: str, shops: str = digest(SHOPS)) -> tuple[int, str]:
        every = [
            script.Source("a/adult.csv", f"{address}/adult.zip", digest(ADULT), digest(headed), "adult", "adult.data"),
            script.Source("s/shops.csv.gz", f"{address}/the%20shops.csv.gz", shops, digest(SPELLED), "shoppers"),
        ]
        monkeypatch.setattr(script, "sources", lambda: every)
        ended: int = script.main([str(tmp_path), *words])
        return ended, capsys.readouterr().out

    return run


def test_tables_are_spelled_as_the_plan_reads_them(fetch: Fetch, published: str, tmp_path: Path) -> None:
    ended, text = fetch(published)
    assert ended == 0
    assert text.count("written, 2 rows") == 2
    assert (tmp_path / "a/adult.csv").read_text().splitlines()[1:] == ["39,State-gov,77516", "50,?,83311"]
    assert gzip.decompress((tmp_path / "s/shops.csv.gz").read_bytes()).decode() == SPELLED


def test_what_is_there_is_not_fetched_again_and_a_torn_file_is(fetch: Fetch, published: str, tmp_path: Path) -> None:
    fetch(published)
    (tmp_path / "s/shops.csv.gz").write_bytes(gzip.compress(SPELLED.encode())[:-9])
    ended, text = fetch(published, "--from", str(tmp_path / "published"))
    assert ended == 0
    assert text.splitlines()[:2] == ["a/adult.csv: is there", "s/shops.csv.gz: written, 2 rows"]


def test_another_table_is_refused_and_the_others_come(fetch: Fetch, published: str, tmp_path: Path) -> None:
    ended, text = fetch(published, shops=digest("what was there last year"))
    assert ended == 1
    assert "shops.csv.gz: not there: what is published there is another file" in text
    assert (tmp_path / "a/adult.csv").exists()
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "adult.zip does not answer"),
        (["--from", "nowhere"], "has no adult.zip; download it from http://127.0.0.1:9/"),
    ],
)
def test_what_cannot_be_had_is_said(words: list[str], reason: str, fetch: Fetch) -> None:
    ended, text = fetch("http://127.0.0.1:9", *words)
    assert ended == 1
    assert reason in text


@needs_adult
def test_every_table_of_the_plan_is_listed_with_the_hash_of_what_was_played(script: ModuleType) -> None:
    plan = read_plan(LEAKS / "first.toml").plan
    wanted = {file for part in plan.table for file in (part.real, part.holdout) if file}
    wanted |= {part.file for part in plan.release}
    listed = {source.file: source.sha256 for source in script.sources()}
    assert wanted <= set(listed)
    for file, expected in listed.items():
        content = (DATA / file).read_bytes()
        text = gzip.decompress(content) if file.endswith(".gz") else content
        assert sha256(text).hexdigest() == expected, file
