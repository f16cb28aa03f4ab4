"""The server's first words: a terminal does not stay empty while the sample audit is made."""

import pytest

from riskkit.dashboard import serve
from riskkit.errors import DesignError
from riskkit.jobs.store import Store


def test_the_first_start_says_what_it_does_before_it_does_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts: list[str] = []

    def made(_: Store, *, workers: int) -> None:
        texts.append(capsys.readouterr().err)
        raise DesignError(f"No room for {workers}.")

    monkeypatch.setattr(serve, "sample_audit", made)
    monkeypatch.setattr(serve, "workers", lambda: 2)
    with pytest.raises(SystemExit):
        serve._sample()
    assert texts == ["riskkit: looking after the sample audit; the first start takes about a minute.\n"]
    assert capsys.readouterr().err == "riskkit: No room for 2.\n"
