"""The evidence pack: every output in one ZIP, with a manifest of hashes and, if wanted, a signature of it."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.show.model import Findings

MANIFEST, SIGNATURE = "MANIFEST.json", "MANIFEST.hmac"
LEAST_KEY = 16
"""Bytes of a key; a shorter one is guessed too easily."""


def pack(found: Findings, files: Mapping[str, bytes], key: bytes | None = None) -> bytes:
    """A ZIP of these files with its manifest. The same findings, files and key give the same bytes.

    ``key`` is a secret that sender and receiver share: the manifest is signed with HMAC-SHA256, so that nobody without
    the key can change a byte unseen.

    Raises
    ------
    DesignError
        The key is too short.
    """
    manifest = _manifest(found, files)
    every = {**dict(sorted(files.items())), MANIFEST: manifest}
    if key is not None:
        every[SIGNATURE] = f"{_signed(manifest, key)}\n".encode()
    when = datetime.fromisoformat(found.made)
    stamp = (max(when.year, 1980), when.month, when.day, when.hour, when.minute, when.second)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in every.items():
            info = zipfile.ZipInfo(name, stamp)
            info.external_attr = 0o600 << 16
            info.create_system = 3
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _manifest(found: Findings, files: Mapping[str, bytes]) -> bytes:
    value = {
        "schema": "riskkit.manifest/1",
        "report": found.id,
        "class": str(found.kind),
        "made": found.made,
        "riskkit": found.version,
        "inputs": {one.slot: one.sha256 for one in found.files},
        "files": {
            name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
            for name, content in sorted(files.items())
        },
    }
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")


def _signed(manifest: bytes, key: bytes) -> str:
    if len(key) < LEAST_KEY:
        raise DesignError(
            say(
                "The signature key has {bytes} bytes; take at least {least} random ones.",
                bytes=len(key),
                least=LEAST_KEY,
            )
        )
    return hmac.new(key, manifest, hashlib.sha256).hexdigest()


def verify(source: bytes, key: bytes | None = None) -> list[str]:
    """What is wrong with a pack, one sentence each; empty where every byte is as its manifest says.

    With a key the manifest must also carry that key's signature.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(source)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        manifest: dict[str, Any] = json.loads(files[MANIFEST])
        listed: dict[str, dict[str, Any]] = manifest["files"]
    except (zipfile.BadZipFile, zlib.error, KeyError, ValueError, EOFError, RuntimeError, OSError):
        return [say("This is no evidence pack, or it is damaged: it cannot be read to its end.")]
    wrong = [say("{name} is missing.", name=name) for name in listed if name not in files]
    wrong += [
        say("{name} is not in the manifest.", name=name) for name in files if name not in (*listed, MANIFEST, SIGNATURE)
    ]
    wrong += [
        say("{name} was changed: its SHA-256 is not the one in the manifest.", name=name)
        for name, facts in listed.items()
        if name in files and hashlib.sha256(files[name]).hexdigest() != facts["sha256"]
    ]
    if key is not None:
        given = files.get(SIGNATURE, b"").decode("ascii", "replace").strip()
        if not hmac.compare_digest(given, _signed(files[MANIFEST], key)):
            wrong.append(say("The manifest does not carry a signature of this key."))
    return wrong
