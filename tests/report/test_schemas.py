"""The published schemas: reports and answers keep them, and no field is in one that they do not name."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import riskkit
from riskkit.audit.report_facts import build_findings, read_given
from riskkit.audit.sample import sample_audit
from riskkit.cli import main
from riskkit.commands.schema import NAMES
from riskkit.jobs.store import Store
from riskkit.judging.measurement import Limit
from riskkit.report import to_gate, to_json
from riskkit.report.lines import in_one_sentence
from riskkit.session import verdicts
from riskkit.show.model import Class, Findings
from tests.report.audited import made
from tests.session.people import people

LIMITS = {"membership": Limit(0.7, "board", "2026-03-03"), "released": Limit(0.6, "board")}


def printed(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What ``riskkit schema NAME`` prints."""
    assert main(["schema", name]) == 0
    schema: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator.check_schema(schema)
    return schema


def closed(schema: Any) -> Any:
    """The schema with no field but those that it names, where it names any and does not speak of others."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(each) for name, each in schema.items()}
    names_fields = isinstance(schema.get("properties"), dict) and "required" in schema
    part_of_another = schema.get("description", "").startswith(("A number with", "An estimate against"))
    return {**inner, "unevaluatedProperties": False} if names_fields and not part_of_another else inner


def faults(schema: Any, document: Any) -> list[str]:
    """What is wrong with a document, at most three."""
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{list(error.absolute_path)}: {error.message[:300]}" for error in validator.iter_errors(document)][:3]


def reports() -> list[Findings]:
    """Audits of random numbers, in both classes; among them those with what only few reports have."""
    audits = [made.random(seed) for seed in range(30)]
    return [made.findings(audit, LIMITS, kind) for audit in audits for kind in Class]


def test_every_report_keeps_the_schema_and_has_no_other_field(capsys: pytest.CaptureFixture[str]) -> None:
    schema = closed(printed("report", capsys))
    assert schema["properties"]["schema"]["const"] == to_json.SCHEMA
    documents = [json.loads(to_json.to_json(findings)) for findings in reports()]
    assert [faults(schema, document) for document in documents if faults(schema, document)] == []
    document = documents[0]
    for spoilt in ({"word": "safe"}, {"overall": None}, {"sha256": "0"}, {"another": 1}):
        assert faults(schema, {**document, **spoilt})
    del document["not_proof"]
    assert faults(schema, document) == ["[]: 'not_proof' is a required property"]


def test_the_report_of_the_sample_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    audit = sample_audit(Store(tmp_path))
    findings = build_findings(
        read_given(audit), {"released": Limit(0.57, "board")}, kind=Class.SHAREABLE, made=made.MADE
    )
    document = json.loads(to_json.to_json(findings))
    assert sum(question["state"] == "finished" for question in document["questions"]) == 10
    assert faults(closed(printed("report", capsys)), document) == []
    assert in_one_sentence(findings).startswith("2 of 9 tests"), "what is described is no test"


def test_answers_keep_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    schema = printed("answer", capsys)
    assert schema["properties"]["schema"]["const"] == verdicts.SCHEMA
    assert set(verdicts.SHAPE) == set(schema["required"])
    assert set(NAMES) == {"report", "answer"}
    answer = riskkit.released(riskkit.load(people(), people(seed=1), people(seed=2)), "dcr", limit=0.6)
    assert faults(schema, json.loads(json.dumps(answer.as_dict()))) == []
    assert faults(schema, {**answer.as_dict(), "verdict": "safe"})


def test_sarif_has_a_result_for_every_case_and_none_is_greener_than_the_verdict() -> None:
    words = set[str]()
    for findings in reports():
        document = json.loads(to_gate.sarif(findings))
        (run,) = document["runs"]
        rules, results = run["tool"]["driver"]["rules"], run["results"]
        assert document["version"] == "2.1.0"
        assert len({rule["id"] for rule in rules}) == len(rules) == len(results)
        for index, result in enumerate(results):
            assert (result["ruleIndex"], result["ruleId"]) == (index, rules[index]["id"])
            assert result["message"]["text"]
            assert (result["kind"] == "fail") is (result["level"] in ("error", "warning"))
        overall = next(result for result in results if result["ruleId"] == "verdict/overall")
        word = str(findings.overall.verdict)
        words.add(word)
        assert overall["level"] == {"within the limit": "none", "undecided": "warning"}.get(word, "error")
    assert {"undecided", "above the limit"} <= words
