"""A dashboard that would not be safe does not start, and names what is wrong, wherever it was set."""

import gc
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

from riskkit.dashboard import safety, serve
from tests.test_config import flat, read_config

UNSAFE: list[tuple[str, Any]] = [
    ("server.address", "0.0.0.0"),  # noqa: S104  the fault
    ("server.allowedHosts", ["*"]),
    ("server.enableXsrfProtection", False),
    ("server.enableCORS", False),
    ("server.corsAllowedOrigins", ["https://elsewhere.example"]),
    ("server.xsrfCookieSameSite", "none"),
    ("server.trustedUserHeaders", '{"X-User": "user"}'),
    ("server.sslCertFile", "here.pem"),
    ("server.enableStaticServing", True),
    ("server.enableAgentApi", True),
    ("server.scriptHealthCheckEnabled", True),
    ("server.fileWatcherType", "auto"),
    ("client.allowedOrigins", ["https://share.streamlit.io"]),
    ("client.showErrorDetails", "full"),
    ("client.toolbarMode", "developer"),
    ("browser.gatherUsageStats", True),
    ("global.developmentMode", True),
    ("runner.magicEnabled", True),
    ("logger.level", "debug"),
]
"""A setting that opens a door, one for every rule."""


@pytest.fixture(autouse=True)
def _as_they_were(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave Streamlit's settings, which are those of the whole process, as they were."""
    monkeypatch.setattr(config, "_main_script_path", None)
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (0, 0))
    yield
    monkeypatch.undo()
    config.get_config_options(force_reparse=True)


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Start a dashboard with these settings in its file, beside those it has; it is not served."""
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "app.py").touch()
    monkeypatch.setattr(serve, "APP", tmp_path / "app.py")
    monkeypatch.setattr(serve, "_serve", lambda *_: sys.stdout.write("served"))
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def started(*options: str, **settings: object) -> Result:
        kept = {name: value for name, value in flat(read_config()).items() if not name.startswith("theme.")}
        every = kept | {"logger.level": "info"} | settings  # its default goes with the developer's mode
        lines = [f"{name} = {written(value)}" for name, value in every.items()]
        (tmp_path / ".streamlit" / "config.toml").write_text("\n".join(lines), encoding="utf-8")
        return CliRunner().invoke(serve.main, options)

    return started


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    return str(value).lower() if isinstance(value, bool | int) else f"'{value}'"


def refused(result: Result, *named: str) -> list[str]:
    """The sentences with which a dashboard is refused; each name is in one of them, and there is no other."""
    assert result.exit_code == 2, result.output
    first, *sentences = result.stderr.splitlines()
    assert first == "riskkit: The dashboard is not started, because it would not be safe:"
    assert len(sentences) == len(named)
    for name, sentence in zip(named, sentences, strict=True):
        assert name in sentence
    return sentences


def test_the_settings_the_dashboard_has_are_safe(start: Callable[..., Result]) -> None:
    result = start()
    assert (result.exit_code, result.output) == (0, "served")


def test_every_rule_has_its_fault_and_they_are_more_than_twelve() -> None:
    assert [rule.setting for rule in safety.RULES] == [name for name, _ in UNSAFE]
    assert len(safety.RULES) >= 12
    kept = flat(read_config())
    for rule in safety.RULES:
        assert rule.is_safe(kept.get(rule.setting, config.get_option(rule.setting))), rule.setting


@pytest.mark.parametrize(("name", "value"), UNSAFE)
def test_an_unsafe_setting_in_a_file_is_refused(start: Callable[..., Result], name: str, value: object) -> None:
    (sentence,) = refused(start(**{name: value}), name)
    assert f"({Path.cwd() / '.streamlit' / 'config.toml'})" in sentence
    assert "Set it to" in sentence


@pytest.mark.parametrize(("name", "value"), UNSAFE)
def test_an_unsafe_setting_in_the_environment_is_refused(
    start: Callable[..., Result], name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = config.get_config_options()[name].env_var
    monkeypatch.setenv(variable, value[0] if isinstance(value, list) else str(value))
    (sentence,) = refused(start(), name)
    assert f"({variable})" in sentence


def test_an_unsafe_option_is_refused(start: Callable[..., Result]) -> None:
    (sentence,) = refused(start("--server.address", "192.0.2.7"), "server.address")
    assert "(--server.address)" in sentence
    assert "a login" in sentence


@pytest.mark.parametrize("missing", ["server.address", "server.allowedHosts", "client.allowedOrigins"])
def test_a_setting_that_is_not_safe_by_itself_must_be_set(
    start: Callable[..., Result], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {name: value for name, value in flat(read_config()).items() if name != missing}
    monkeypatch.setattr("tests.dashboard.test_safety.flat", lambda _: kept)
    (sentence,) = refused(start(), missing)
    assert "(not set)" in sentence


def test_all_that_is_unsafe_is_named_at_once(start: Callable[..., Result]) -> None:
    unsafe = {name: value for name, value in UNSAFE if name != "global.developmentMode"}
    refused(start(**unsafe), *unsafe)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_computers_own_addresses_are_allowed(start: Callable[..., Result], address: str) -> None:
    assert start(**{"server.address": address}).exit_code == 0


@pytest.mark.parametrize("address", ["", "::", "192.168.1.5", "host.example", "localhost.example", "unix:///tmp/s"])
def test_every_other_address_is_refused(start: Callable[..., Result], address: str) -> None:
    refused(start(**{"server.address": address}), "server.address")


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no mode there")
@pytest.mark.parametrize("mode", [0o755, 0o701, 0o740])
def test_a_folder_that_others_can_open_is_refused(start: Callable[..., Result], tmp_path: Path, mode: int) -> None:
    (tmp_path / "home").chmod(mode)
    (sentence,) = refused(start(), str(tmp_path / "home"))
    assert "chmod 700" in sentence
    (tmp_path / "home").chmod(0o700)
    assert start().exit_code == 0


def test_a_folder_that_is_not_there_yet_is_no_fault(start: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "home").rmdir()
    assert start().exit_code == 0


def test_core_dumps_are_refused(start: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    refused(start(), "Core dumps are on")


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # the server's own, which could not be bound
def test_a_port_that_is_taken_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(serve.main, ["--server.port", str(taken.getsockname()[1])])
    code, message = result.exit_code, result.stderr
    del result
    gc.collect()
    assert code == 2
    assert "of this computer cannot be used. Choose another: --port." in message


@pytest.mark.parametrize(
    ("address", "place"), [("127.0.0.1", "http://127.0.0.1:7/?token=k"), ("::1", "http://[::1]:7/?token=k")]
)
def test_the_address_is_one_that_a_browser_takes(start: Callable[..., Result], address: str, place: str) -> None:
    start("--server.port", "7", **{"server.address": address})
    assert serve._address("k") == place
    assert serve._address(None) == place.partition("?")[0]


def test_settings_that_exclude_each_other_are_a_sentence(start: Callable[..., Result]) -> None:
    result = start("--server.port", "8501", **{"global.developmentMode": True})
    assert result.exit_code == 2
    assert result.stderr.startswith("riskkit: The settings of the dashboard cannot be used: server.port does not work")


def test_a_file_that_cannot_be_read_leaves_nothing_safe(start: Callable[..., Result]) -> None:
    result = start(**{"server.maxUploadSize": "'"})
    assert result.exit_code == 2
    assert "server.address is unsafe (not set)" in result.stderr


@pytest.mark.second
def test_the_program_ends_with_the_code_of_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    monkeypatch.setenv("STREAMLIT_SERVER_ADDRESS", "0.0.0.0")  # noqa: S104  the fault
    done = subprocess.run([sys.executable, "-m", "riskkit", "app"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "server.address is unsafe (STREAMLIT_SERVER_ADDRESS): other computers could reach" in done.stderr
    assert "Traceback" not in done.stderr
