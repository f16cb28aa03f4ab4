"""The wheel, installed into an environment of its own that knows nothing of the clone, does what a clone does."""

import importlib.util
import os
import socket
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from riskkit.audit.sample import PLANS
from riskkit.jobs.machine import environment
from tests.compiled import lend_loops
from tests.conftest import Server, _free_port, printed

ROOT = Path(__file__).resolve().parents[1]
BESIDE = (".streamlit", "pages", "sample_data", "studies")
"""Folders that stand beside the package."""
UNREACHABLE = ("No matching distribution found", "Could not find a version", "Connection", "Temporary failure")
"""What pip says where the packages that build a wheel cannot be had."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this clone, built as anybody builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    alone = [] if importlib.util.find_spec("hatchling") is None else ["--no-build-isolation"]
    packages = str(ROOT), str(ROOT / "riskkit_bench")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", *alone, "--wheel-dir", str(folder), *packages]
    made = subprocess.run(command, capture_output=True, text=True)
    output = made.stdout + made.stderr
    if made.returncode and not alone and any(sign in output for sign in UNREACHABLE):
        pytest.skip("hatchling builds the wheel; it is not installed, and no package registry can be reached")
    assert made.returncode == 0, output
    (built,) = folder.glob("riskkit-*.whl")
    return built


@pytest.fixture(scope="module")
def bench(wheel: Path) -> Path:
    """The wheel of riskkit-bench, built beside it."""
    (built,) = wheel.parent.glob("riskkit_bench-*.whl")
    return built


class Installed:
    """An environment that holds the wheel and the libraries of this one, and a folder to work in."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.work, self.home = folder / "work", folder / "home"
        self.work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        self.bin = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        names = {"base": str(folder / "venv"), "platbase": str(folder / "venv")}
        self.packages = Path(sysconfig.get_path("purelib", "venv", names))
        (self.packages / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--no-deps", "--no-index"]
        subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
        lend_loops(ROOT / "riskkit", self.packages / "riskkit")

    @property
    def environ(self) -> dict[str, str]:
        """No path to the clone, and a home of its own."""
        kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RISKKIT_OPEN")}
        return {**kept, "RISKKIT_HOME": str(self.home)}

    def run(self, *command: str) -> str:
        """What a program of the environment prints; it must end well."""
        program = str(self.bin / command[0])
        done = subprocess.run(
            [program, *command[1:]], cwd=self.work, env=self.environ, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Installed:
    """The wheel, installed."""
    return Installed(tmp_path_factory.mktemp("installed"), wheel)


def test_the_wheel_holds_what_stands_beside_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    beside = [path for folder in BESIDE for path in (ROOT / folder).rglob("*") if path.is_file()]
    wanted = [ROOT / "app.py", *(path for path in beside if "__pycache__" not in path.parts)]
    built_in = {f"riskkit/project/{path.relative_to(ROOT).as_posix()}": path.read_bytes() for path in wanted}
    assert len(built_in) > 20
    assert {name: content for name, content in files.items() if name.startswith("riskkit/project/")} == built_in
    assert {name.split("/")[0] for name in files} == {
        "riskkit",
        wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info",
    }
    assert wheel.name in (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert {"riskkit/py.typed", "riskkit/locale/riskkit.pot", "riskkit/report/report.typ"} <= set(files)


def test_what_runs_is_the_wheel_and_is_taken_for_the_same_engine(installed: Installed) -> None:
    """Units that a clone and a wheel of one version have played may stand in one result."""
    where, made_by = installed.run(
        "python",
        "-c",
        "import riskkit; from riskkit.jobs.machine import environment; print(riskkit.__file__); print(environment())",
    ).splitlines()
    assert Path(where).is_relative_to(installed.packages)
    assert made_by == environment()


def test_the_command_is_there_and_finds_the_studies(installed: Installed) -> None:
    assert installed.run("riskkit", "--version").startswith("riskkit ")
    listed = [line.split()[0] for line in installed.run("riskkit", "study").splitlines()]
    assert listed == sorted(path.stem for path in (ROOT / "studies").glob("*.toml"))


def test_bench_and_recipes_are_a_package_of_their_own(installed: Installed, bench: Path, tmp_path: Path) -> None:
    """Without it a sentence says what to install; with it both work as in the clone."""
    for words in (("bench", "plan.toml"), ("generators", "list")):
        done = subprocess.run(
            [str(installed.bin / "riskkit"), *words], cwd=installed.work, env=installed.environ, capture_output=True
        )
        assert done.returncode == 2
        assert b"needs riskkit-bench, which is not installed: pip install 'riskkit[bench]'" in done.stderr
    with zipfile.ZipFile(bench) as archive:
        names = {name for name in archive.namelist() if name.startswith("riskkit_bench/")}
        archive.extractall(tmp_path)
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "riskkit_bench").rglob("*.*")}
    assert names == {name for name in here if Path(name).suffix in (".py", ".css", ".js")}
    script = "import sys; sys.path.append(sys.argv.pop(1)); from riskkit.cli import main; sys.exit(main(sys.argv[1:]))"
    listed = installed.run("python", "-c", script, str(tmp_path), "generators", "list")
    assert "arfpy" in listed
    assert "PLAN" in installed.run("python", "-c", script, str(tmp_path), "bench", "--help")


def test_the_sample_is_there_without_playing(installed: Installed) -> None:
    """The command makes it finished; had it to be played, its runs would have been started by this environment."""
    assert installed.run("riskkit", "sample").startswith("The sample audit is ready")
    listed = installed.run("riskkit", "audits", "list").splitlines()
    assert sum(" finished" in line for line in listed) == len(PLANS)
    assert "not on this computer" in installed.run("riskkit", "audits", "show", listed[1].split()[0])


def test_a_run_is_played_by_a_process_of_its_own(installed: Installed) -> None:
    output = installed.run("python", "-c", PLAYED)
    assert output.splitlines()[-1] == "finished"


PLAYED = """
import time
from riskkit.audit import sample
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.jobs.store import Store

run = sample.load_sample(Store.default()).start(ReleasedPlan(attacks=("dcr",), seed=1))
while run.state in ("queued", "running"):
    time.sleep(0.2)
print(run.state)
"""


def test_the_pages_open_with_the_sample(installed: Installed) -> None:
    """Those that look for what stands beside the package: sample, studies and the other pages."""
    opened = installed.run("python", "-c", OPENED).splitlines()
    assert opened == ["1_data.py", "2_membership.py", "8_audits.py"]


OPENED = """
import os
from riskkit.base import places
from riskkit.audit.sample import sample_audit
from riskkit.dashboard.forms import pilots
from riskkit.jobs.store import Store
from streamlit.testing.v1 import AppTest

pilots.beside = lambda *_, lost: lost  # nothing is timed
os.environ["RISKKIT_OPEN"] = sample_audit(Store.default()).id
app = AppTest.from_file(str(places.project() / "app.py"), default_timeout=120).run()
for page in ("1_data.py", "2_membership.py", "8_audits.py"):
    if page != "1_data.py":  # that one is open
        app.switch_page(f"pages/{page}").run()
    assert not app.exception, (page, app.exception)
    assert any("a made-up hospital cohort" in told.value for told in app.markdown), page
    print(page)
"""


def test_the_dashboard_starts_with_its_settings(installed: Installed) -> None:
    """It answers on this computer, and refuses a name that its settings do not allow: so these were found."""
    port, log = _free_port(), installed.work / "app.log"
    command = [installed.bin / "riskkit", "app", "--port", str(port)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=installed.work, env=installed.environ, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            server = Server(printed(process, log), installed.home)
            with connected("127.0.0.1", server):
                pass
            with pytest.raises(InvalidStatus, match="403"), connected("elsewhere.example", server):
                pass
        finally:
            process.terminate()
            process.wait(timeout=30)


def connected(host: str, server: Server) -> ClientConnection:
    """A connection to the dashboard on this computer, by whichever name it is called."""
    port = urlsplit(server.url).port
    return connect(
        f"ws://{host}:{port}/_stcore/stream",
        sock=socket.create_connection(("127.0.0.1", port), timeout=30),
        origin=Origin(f"http://{host}:{port}"),
        additional_headers={"Cookie": server.cookie},
        subprotocols=[Subprotocol("streamlit")],
    )
