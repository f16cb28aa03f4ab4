"""The settings that keep records on this computer, the theme's contrast, and pins that agree with one another."""

import copy
import itertools
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from streamlit import config as streamlit_config

import riskkit

ROOT = Path(__file__).resolve().parents[1]

WANTED: dict[str, Any] = {
    "server.address": "127.0.0.1",
    "server.headless": True,
    "server.enableXsrfProtection": True,
    "server.xsrfCookieSameSite": "strict",
    "server.enableCORS": True,
    "server.allowedHosts": ["localhost", "127.0.0.1"],
    "server.maxUploadSize": 300,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.disconnectedSessionTTL": 60,
    "server.maxCacheDataSize": "500mb",
    "server.enableStaticServing": False,
    "server.enableAgentApi": False,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "client.allowedOrigins": [],
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.toolbarMode": "viewer",
    "client.disableDataExport": True,
    "global.disableWidgetStateDuplicationWarning": True,
    "runner.magicEnabled": False,
    "runner.postScriptGC": False,
}


def read_config() -> dict[str, Any]:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))


def flat(config: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Sections and settings as ``section.setting``."""
    out: dict[str, Any] = {}
    for name, value in config.items():
        out |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
    return out


def weaknesses(config: dict[str, Any]) -> set[str]:
    """The settings that are not what they must be; missing, changed, or not one we know."""
    settings = {name: value for name, value in flat(config).items() if not name.startswith("theme.")}
    return {name for name in WANTED.keys() | settings.keys() if settings.get(name) != WANTED.get(name)}


def test_every_setting_is_safe() -> None:
    assert weaknesses(read_config()) == set()


@pytest.mark.parametrize("name", WANTED)
def test_a_missing_setting_is_seen(name: str) -> None:
    config = read_config()
    section, setting = name.split(".")
    del config[section][setting]
    assert weaknesses(config) == {name}


@pytest.mark.parametrize(
    ("section", "setting", "value"),
    [
        ("server", "address", "0.0.0.0"),  # noqa: S104  the fault
        ("server", "allowedHosts", []),
        ("server", "enableXsrfProtection", False),
        ("client", "showErrorDetails", "full"),
        ("browser", "gatherUsageStats", True),
        ("server", "trustedUserHeaders", "X-User"),
    ],
)
def test_a_weakened_setting_is_seen(section: str, setting: str, value: object) -> None:
    config = copy.deepcopy(read_config())
    config[section][setting] = value
    assert weaknesses(config) == {f"{section}.{setting}"}


def test_streamlit_knows_every_name() -> None:
    streamlit_config.get_config_options()
    assert set(flat(read_config())) <= set(streamlit_config._config_options_template)


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""

    def luminance(colour: str) -> float:
        channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_accent_stand_out_from_the_ground(theme: str) -> None:
    colours = read_config()["theme"][theme]
    for ground in (colours["backgroundColor"], colours["secondaryBackgroundColor"]):
        assert contrast(colours["textColor"], ground) >= 7
        assert contrast(colours["linkColor"], ground) >= 4.5
        assert contrast(colours["primaryColor"], ground) >= 4.5
    for colour in colours["chartCategoricalColors"][:3]:
        assert contrast(colour, colours["backgroundColor"]) >= 3


def pins(name: str) -> dict[str, str]:
    """What a requirements file asks for, by package."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    asked = [re.split(r" [;\\]", line)[0] for line in lines if line and line[0] not in "#- "]
    return {normal(re.split("[=<>]", line)[0]): line for line in asked}


def test_every_library_has_a_lower_bound_and_an_upper_one_only_with_its_reason() -> None:
    """Who imports riskkit beside other libraries gets no conflict that nobody can explain."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    asked = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    libraries = [Requirement(line) for line in asked if not line.startswith("riskkit")]
    others = {str(part) for library in libraries for part in library.specifier if part.operator != ">="}
    assert others == {"<3"}, "pandas, of the extra deep alone"
    assert [str(library) for library in libraries if not library.specifier] == []
    assert "# pandas below 3: " in text


def normal(package: str) -> str:
    return re.sub("[-_.]+", "-", package).lower()


def test_pins_agree_with_one_another() -> None:
    direct, every = pins("requirements.txt"), pins("constraints.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    installed = [
        Requirement(line)
        for part in (project["dependencies"], *(extras[name] for name in ("app", "deep", "explain", "statistics")))
        for line in part
    ]
    assert {normal(allowed.name) for allowed in installed} == set(direct), "what is locked is what riskkit imports"
    for allowed in installed:
        assert every[normal(allowed.name)].partition("==")[2] in allowed.specifier, allowed
    assert extras["all"] == [f"riskkit[{','.join(name for name in extras if name not in ('all', 'bench'))}]"]
    assert direct["torch"] == "torch==2.13.0"
    assert "+" not in (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n", 3)[3]
    for package, line in (direct | pins("requirements-dev.txt")).items():
        assert package in every
        assert "==" not in line or every[package].partition("==")[2] == line.partition("==")[2]


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## [{riskkit.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
