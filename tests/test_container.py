"""The container of docs/operate.md by its parts: what its file says, and riskkit as a user on a read-only root."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url

from riskkit.base.extras import TITLES
from riskkit.cli import _parser

ROOT = Path(__file__).resolve().parents[1]
USER = 10001
SCRIPT = """
import os, time
from pathlib import Path
for place in (Path({root!r}) / "x", Path("/opt/x"), Path("/var/x"), Path("/x")):
    try:
        place.touch()
    except OSError:
        continue
    raise SystemExit(f"{{place}} could be written")
assert os.getuid() == {user}
assert all(os.statvfs(place).f_flag & os.ST_RDONLY for place in ("/", {root!r}))
from riskkit.audit.sample import load_sample
from riskkit.jobs.store import Store
from riskkit.questions.membership.plan import MembershipPlan
run = load_sample(Store.default()).start(MembershipPlan(trainings=6, generations=1, n_syn=60), workers=2)
while run.state in ("queued", "running"):
    time.sleep(0.2)
print(run.state, run.progress.get("error"))
"""
INSIDE = """
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=1777,size=2g tmpfs /tmp
if [ -n "{closed}" ]; then  # Python itself is in a folder that only its user may enter: leave nothing else of that
    mkdir /tmp/python && mount --bind {python} /tmp/python
    mount -t tmpfs -o mode=755 tmpfs {closed}
    mkdir -p {python} && mount --move /tmp/python {python}
fi
mkdir /tmp/data && chown {user} /tmp/data && chmod 700 /tmp/data
for place in / $(findmnt -rno TARGET | grep -vE '^/(proc|sys|dev|tmp)(/|$)' | grep -v '^/$'); do
    mount -o remount,bind,ro "$place" 2>/dev/null || true
done
cd {root}
exec setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
    env HOME=/tmp RISKKIT_HOME=/tmp/data NUMBA_CACHE_DIR=/tmp/numba PYTHONDONTWRITEBYTECODE=1 "$@"
"""
"""A container's walls without a container: mounts of its own, every one read-only but /tmp; no rights to anything."""


def instructions() -> list[tuple[str, str]]:
    """What the file says, one instruction a line."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text(encoding="utf-8"))
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


def test_it_runs_as_a_user_who_owns_nothing_but_the_data() -> None:
    every = instructions()
    last = every[[name for name, _ in every].index("USER") :]
    assert ("USER", str(USER)) in every
    assert not {"RUN", "COPY", "ADD", "USER"} & {name for name, _ in last[1:]}, "nothing is made or changed after it"
    assert [name for name, _ in every].count("USER") == 1
    assert "ADD" not in {name for name, _ in every}, "nothing is fetched"
    assert all("--from=build" in what for name, what in every[_second(every) :] if name == "COPY"), (
        "no sources, no tools"
    )
    (made,) = (what for name, what in every if name == "RUN" and "useradd" in what)
    assert f"--uid {USER}" in made
    assert f"install -d -o {USER} -g 0 -m 0700 /data" in made
    assert ("VOLUME", "/data") in every
    assert "RISKKIT_HOME=/data" in dict(every)["ENV"]


def _second(every: list[tuple[str, str]]) -> int:
    return [line for line, (name, _) in enumerate(every) if name == "FROM"][1]


def test_it_installs_what_is_pinned_with_extras_that_there_are() -> None:
    (build,) = (what for name, what in instructions() if name == "RUN" and "pip install" in what)
    pattern = re.search(r"sed -nE '(.*?)' /src/constraints.txt", build)
    assert pattern is not None
    assert pattern[1] in (ROOT / "Makefile").read_text(encoding="utf-8").replace("$$", "$"), "as make reads the list"
    done = subprocess.run(
        ["sed", "-nE", pattern[1], str(ROOT / "constraints.txt")], capture_output=True, text=True, check=True
    )
    assert "streamlit==1.67.0" in done.stdout.split()
    assert "authlib==1.9.9" in done.stdout.split()
    extras = re.search(r"/src\[(.*?)\]", build)
    assert extras is not None
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras[1].split(","))
    assert {"app", "shared"} <= set(extras[1].split(",")) & set(TITLES)


def test_what_goes_in_is_no_secret_and_no_history() -> None:
    left_out = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "login.toml"} <= set(left_out)


def test_the_page_starts_it_with_the_walls_it_speaks_of() -> None:
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    for wall in (
        "--read-only",
        "--tmpfs /tmp",
        "--cap-drop ALL",
        "no-new-privileges",
        f"uid={USER}",
        "127.0.0.1:8501:8501",
    ):
        assert wall in page


def closed_to_others(*files: Path) -> list[Path]:
    """Of these files and the folders above them, those that another user may not read or enter."""
    above = {folder for file in files for folder in file.parents}
    shut = [file for file in files if not file.stat().st_mode & 0o004]
    return sorted([*shut, *(folder for folder in above if not folder.stat().st_mode & 0o001)])


def test_what_others_may_not_enter_is_seen(tmp_path: Path) -> None:
    inner = tmp_path / "above" / "clone"
    inner.mkdir(parents=True)
    file = inner / "file.py"
    file.touch()
    for path, mode in ((inner.parent, 0o755), (inner, 0o755), (file, 0o644)):  # whatever the mask of this process is
        path.chmod(mode)
    before = closed_to_others(file)  # folders of the tests themselves may be closed
    (tmp_path / "above").chmod(0o750)
    assert sorted({*closed_to_others(file)} - {*before}) == [tmp_path / "above"]
    file.chmod(0o600)
    assert sorted({*closed_to_others(file)} - {*before}) == [tmp_path / "above", file]


@pytest.fixture
def walls() -> Iterator[list[str]]:
    """A command behind which nothing can be written but /tmp; skips where this system does not allow to make it.

    The other user reads the clone and the installed packages where they lie, so nothing above them may be closed.
    """
    shut = closed_to_others(ROOT / "riskkit" / "__init__.py", Path(pytest.__file__).resolve())
    if shut:
        pytest.skip(f"another user may not read {shut[0]}, where this clone or its packages are: chmod o+rx {shut[0]}")
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs root on Linux, to be another user on a root that is read-only")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("this system allows no mounts of one's own")
    with tempfile.NamedTemporaryFile("w", suffix=".sh", dir="/var/tmp") as script:
        above = [str(folder) for folder in Path(sys.base_prefix).parents if not folder.stat().st_mode & 0o001]
        closed = above[-1] if above else ""
        script.write(INSIDE.format(user=USER, root=ROOT, python=sys.base_prefix, closed=closed))
        script.flush()
        yield ["unshare", "--mount", "bash", script.name]


@pytest.mark.slow
def test_a_run_is_played_by_another_user_on_a_read_only_root(walls: list[str]) -> None:
    program = SCRIPT.format(root=str(ROOT), user=USER)
    done = subprocess.run([*walls, sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.split()) == (0, ["finished", "None"]), done.stdout + done.stderr


# --------------------------------------------------------------------------------------------------------------
# Several of them


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """The services of ``compose.yaml``, anchors and merges resolved."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return dict(read["services"])


def test_every_service_of_ours_stands_behind_the_same_walls(services: dict[str, Any]) -> None:
    """Read-only, without rights, one volume; the database and the workers reach nothing outside."""
    ours = {name: own for name, own in services.items() if own["image"] == "riskkit"}
    assert set(ours) == {"app", "worker"}
    for own in ours.values():
        assert own["read_only"]
        assert own["cap_drop"] == ["ALL"]
        assert own["security_opt"] == ["no-new-privileges:true"]
        assert own["volumes"] == ["riskkit:/data"]
        assert (ROOT / own["build"]["dockerfile"]).is_file()
    assert services["app"]["ports"] == ["127.0.0.1:8501:8501"]
    assert [name for name, own in services.items() if "ports" in own or "outside" in own["networks"]] == ["app"]
    secret = services["app"]["secrets"][0]
    assert (secret["uid"], secret["mode"]) == (str(USER), 0o400)
    assert services["worker"]["deploy"]["replicas"] == 2


def test_every_command_in_it_is_one_of_riskkit(services: dict[str, Any]) -> None:
    for own in (services["app"], services["worker"]):
        words = [str(word) for word in own["command"]]
        assert _parser(words).parse_args(words).run
        assert make_url(own["environment"]["RISKKIT_STORE"]).host == "database"
