"""What is installed with riskkit: ``python -m tests.packages audit`` looks every package up, ``... sbom`` lists them.

``audit`` asks the vulnerability service by pip-audit, and fails where it answered of fewer packages than are pinned:
behind some mirrors every package is skipped, and pip-audit alone says that nothing was found. ``sbom`` writes the list
that goes with a release (CycloneDX 1.6, JSON).
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from riskkit.version import __version__

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "constraints.txt"
TOOLS = "# Tools of the tests"
"""Where the packages begin that riskkit does not need to run."""
PIN = re.compile(
    r"^([a-z\d-]+)==(\S+)(?: ; sys_platform == \"(\w+)\")? \\\n((?:    --hash=sha256:[\da-f]{64}(?: \\)?\n)+)",
    re.MULTILINE,
)
"""Name, version, system and hashes of a package."""


def pins(text: str) -> dict[str, str]:
    """The version of every package that this system needs, by name; a line that is no pin with hashes is refused."""
    rest = PIN.sub("", text)
    wrong = [line for line in rest.splitlines() if line and not line.startswith("#")]
    assert not wrong, wrong[:3]
    return {name: version for name, version, system, _ in PIN.findall(text) if system in ("", sys.platform)}


def run_alone() -> dict[str, str]:
    """The packages that riskkit needs to run."""
    return pins(LIST.read_text(encoding="utf-8").partition(TOOLS)[0])


def every() -> dict[str, str]:
    """Those of the tests too."""
    return pins(LIST.read_text(encoding="utf-8"))


def left_out(report: Mapping[str, Any], wanted: Mapping[str, str]) -> list[str]:
    """The packages that the vulnerability service did not answer of, at the version that is pinned."""
    answered = {
        (dependency["name"], dependency.get("version"))
        for dependency in report["dependencies"]
        if "skip_reason" not in dependency
    }
    return sorted(name for name, version in wanted.items() if (name, version) not in answered)


def audited(listed: Path = LIST) -> tuple[int, str]:
    """How pip-audit ended on that list, and what it said; a package that was left out is a fault."""
    command = ["pip_audit", "--strict", "--disable-pip", "--require-hashes", "--format=json", f"-r={listed}"]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True)
    wanted = pins(listed.read_text(encoding="utf-8"))
    if not done.stdout.strip():
        return done.returncode or 1, f"0 of {len(wanted)} packages looked up. {done.stderr.strip()}"
    report = json.loads(done.stdout)
    missing = left_out(report, wanted)
    if missing:
        return 1, f"Of {len(wanted)} packages these were not looked up: {', '.join(missing)}."
    return done.returncode, f"{len(wanted)} of {len(wanted)} packages looked up. {done.stderr.strip()}"


def sbom() -> str:
    """The list of packages of this release."""
    bom = Bom()
    root = Component(name="riskkit", version=__version__, type=ComponentType.APPLICATION, bom_ref="riskkit")
    bom.metadata.component = root
    parts = [
        Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"pkg:pypi/{name}@{version}",
            purl=PackageURL("pypi", name=name, version=version),
            description=_license(name),
        )
        for name, version in run_alone().items()
    ]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(root, parts)
    return str(JsonV1Dot6(bom).output_as_string(indent=1))


def _license(name: str) -> str | None:
    """What a package says of its licence, where it is installed here."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    named = next((about[key] for key in ("License-Expression", "License") if key in about), "")
    return f"Licence: {named.splitlines()[0][:100]}" if named.strip() else None


def main() -> int:
    """Do what the command line asks for."""
    if sys.argv[1:] == ["sbom"]:
        path = ROOT / "dist" / f"riskkit-{__version__}.cdx.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(sbom(), encoding="utf-8")
        sys.stdout.write(f"{path}\n")
        return 0
    status, output = audited()
    sys.stdout.write(f"{output}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
