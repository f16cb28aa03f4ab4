"""What stands in an evidence pack for whoever checks it: how to, with nothing but Python, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable

from riskkit.language import say
from riskkit.show.model import Findings

README, PLANS = "README.txt", "plans.json"
CHECK = """\
import hashlib, hmac, json, sys, zipfile

try:
    pack = zipfile.ZipFile(sys.argv[1])
    files = {name: pack.read(name) for name in pack.namelist()}
    manifest = files.pop("MANIFEST.json")
    signature = files.pop("MANIFEST.hmac", b"").decode().strip()
    listed = json.loads(manifest)["files"]
    wrong = sorted(set(listed) ^ set(files))
    wrong += [name for name in sorted(set(listed) & set(files))
              if hashlib.sha256(files[name]).hexdigest() != listed[name]["sha256"]]
    if len(sys.argv) > 2:
        key = open(sys.argv[2], "rb").read()
        if not hmac.compare_digest(signature, hmac.new(key, manifest, "sha256").hexdigest()):
            wrong.append("the signature")
    if "report.json" in files:
        report = json.loads(files["report.json"])
        own = report.pop("sha256")
        text = json.dumps(report, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        if hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != own:
            wrong.append("the SHA-256 in report.json")
        print("SHA-256 of report.json, as page one has it:", own)
except Exception as error:
    sys.exit(f"DAMAGED: the pack cannot be read ({type(error).__name__}).")
if wrong:
    sys.exit("CHANGED: " + ", ".join(wrong))
print("WHOLE: every file is as the manifest says.")
"""
"""The check; it imports nothing that does not come with Python."""


def readme(findings: Findings, names: Iterable[str]) -> bytes:
    """The text of the README beside files of these names."""
    there = sorted(names)
    meanings = {
        README: say("this text"),
        "report.pdf": say("the report on paper; page one has the SHA-256 of report.json as text and QR code"),
        "report.html": say("the same for a browser, with the appendix"),
        "report.json": say("everything that was found, for programs"),
        PLANS: say("what was asked: plan and seed of every run, and the versions it was calculated with"),
        "selftest.json": say("whether the installation measured leaks of known size rightly, when it was last asked"),
        "MANIFEST.json": say("SHA-256 and size of every file here, and of the tables that were audited"),
        "MANIFEST.hmac": say("the signature of the manifest, where it was signed: HMAC-SHA256 under a shared key"),
    }
    listed = [f"  {name}: {meanings.get(name) or say('a table of report.json')}" for name in there]
    if "selftest.json" not in there:
        listed.append("  " + say("selftest.json is missing: no self-test was made on that installation."))
    parts = [
        say(
            "Evidence of report {id}, made {made} by riskkit {version}.",
            id=findings.id,
            made=findings.made,
            version=findings.version,
        ),
        say("What is in it"),
        "\n".join(listed),
        say("How to check it"),
        say(
            "You need Python 3 and nothing else. Do not unpack the ZIP. Read the lines below, save them as check.py "
            "somewhere outside, and run: python check.py PACK.zip (followed by the key file, where it was signed). "
            "The same is done by: riskkit report PACK.zip --verify"
        ),
        "\n".join(f"    {line}".rstrip() for line in CHECK.splitlines()),
        say("What it shows"),
        say(
            "WHOLE: no file was changed, added or lost since the manifest was written. Whoever changes a file and the "
            "manifest alike makes another pack that is whole: so compare the SHA-256 that is printed with the one on "
            "page one of the report that you were handed, or have the pack signed."
        ),
        say(
            "To get the same numbers again: the plan, the seed and the versions of every run are in plans.json; the "
            "same tables (their SHA-256 is in the manifest) and the same versions give the same numbers."
        ),
    ]
    return ("\n\n".join(parts) + "\n").encode(errors="replace")


def plans(findings: Findings) -> bytes:
    """What was asked and calculated with, as far as the reader may see it."""
    runs = [
        {
            "question": answer.question,
            "run": finding.id,
            "seed": finding.settings.get("seed"),
            "plan": dict(finding.settings),
            "command": finding.command,
        }
        for answer in findings.answered()
        for finding in answer.findings
    ]
    value = {"report": findings.id, "versions": dict(findings.versions), "runs": runs}
    return (json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode(errors="replace")
