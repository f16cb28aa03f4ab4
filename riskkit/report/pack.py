"""The evidence pack: every output in one ZIP, with a manifest of hashes and, if wanted, a signature of it."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile
from collections.abc import Mapping
from datetime import datetime

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.report.pack_readme import PLANS, README, plans, readme
from riskkit.show.model import Findings
from riskkit.show.unit import in_its_unit

MANIFEST, SIGNATURE = "MANIFEST.json", "MANIFEST.hmac"
LEAST_KEY = 16
"""Bytes of a key; a shorter one is guessed too easily."""


@in_its_unit
def pack(findings: Findings, files: Mapping[str, bytes], key: bytes | None = None) -> bytes:
    """A ZIP of these files with its manifest, the plans, and a README that says how to check it.

    The same findings, files and key give the same bytes.

    ``key`` is a secret that sender and receiver share: the manifest is signed with HMAC-SHA256, so that nobody without
    the key can change a byte unseen.

    Raises
    ------
    DesignError
        The key is too short.
    """
    signed = [] if key is None else [SIGNATURE]
    held = {**files, PLANS: plans(findings), README: readme(findings, [*files, PLANS, README, MANIFEST, *signed])}
    manifest = _manifest(findings, held)
    every = {**dict(sorted(held.items())), MANIFEST: manifest}
    if key is not None:
        every[SIGNATURE] = f"{signature(manifest, key)}\n".encode()
    when = datetime.fromisoformat(findings.made)
    stamp = (max(when.year, 1980), when.month, when.day, when.hour, when.minute, when.second)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in every.items():
            info = zipfile.ZipInfo(name, stamp)
            info.external_attr = 0o600 << 16
            info.create_system = 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _manifest(findings: Findings, files: Mapping[str, bytes]) -> bytes:
    value = {
        "schema": "riskkit.manifest/1",
        "report": findings.id,
        "class": str(findings.kind),
        "made": findings.made,
        "riskkit": findings.version,
        "inputs": {file.slot: file.sha256 for file in findings.files},
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        },
    }
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


def signature(manifest: bytes, key: bytes) -> str:
    """The signature of a manifest with a key, in hexadecimal.

    Raises
    ------
    DesignError
        The key is too short.
    """
    if len(key) < LEAST_KEY:
        raise DesignError(
            say(
                "The signature key has {bytes} bytes; take at least {least} random ones.",
                bytes=len(key),
                least=LEAST_KEY,
            )
        )
    return hmac.new(key, manifest, hashlib.sha256).hexdigest()
