"""Why a question about attributes cannot be asked, where more than one place asks."""

from __future__ import annotations

from riskkit.phrases import Phrase, phrase

KINDS = {"category": phrase("category"), "number": phrase("number")}
"""What a secret is."""


def nothing_known(secret: str) -> Phrase:
    """Nothing is left to guess a secret from."""
    return phrase("Nothing is known from which {secret!r} could be guessed; name at least one column.", secret=secret)


def cannot_guess(title: str, kind: str, secret: str) -> Phrase:
    """The model of that title does not guess such a secret."""
    return phrase(
        "{title} cannot guess a {kind}, and {secret!r} is one; choose another model.",
        title=phrase(title),
        kind=KINDS.get(kind, kind),
        secret=secret,
    )


def nobody_has(secret: str, table: str) -> Phrase:
    """No row of a table (a phrase of it) has a value of the secret."""
    return phrase("No row of the {table} has a value of {secret!r}; choose another secret.", table=table, secret=secret)
