"""Columns of free text, and second tables: which attacks read them, and what an audit says where none does."""

from __future__ import annotations

from collections.abc import Iterable

from riskkit import registry
from riskkit.phrases import phrase
from riskkit.questions.released.plan import SUITE, TWO_TABLES, ReleasedPlan, asked
from riskkit.table.kinds.judge import text_columns
from riskkit.table.load import Tables


def of_texts_alone() -> tuple[str, ...]:
    """The attacks that read nothing but free text, by name."""
    return tuple(name for name, attack in registry.plugins("released").items() if getattr(attack, "needs_text", False))


def attacks_for(tables: Tables) -> tuple[str, ...]:
    """The attacks of a plan that names none: the suite, those on texts where a column is kept as text, and the looks at
    two tables where a second one is loaded."""
    on_texts = of_texts_alone() if text_columns(tables.schema) else ()
    return (*SUITE, *on_texts, *(of_two_tables() if tables.children is not None else ()))


def of_two_tables() -> tuple[str, ...]:
    """The attacks that read a second table, by name."""
    return tuple(
        name for name, attack in registry.plugins("released").items() if getattr(attack, "needs_children", False)
    )


def children_notes(tables: Tables, plan: ReleasedPlan) -> list[str]:
    """What is to be said of a second table: that no attack read it."""
    every = [registry.parse("released", text) for text in asked(plan.attacks)]
    if tables.children is None or any(getattr(attack, "needs_children", False) for attack in every):
        return []
    note = "No attack that was asked reads the second table: nothing is said of what its rows reveal."
    return [f"{note} Ask {TWO_TABLES} as well."]


def read_texts(attacks: Iterable[str]) -> bool:
    """Whether one of these attacks, as they are spelled, reads free text; one that is no longer here does not."""
    known = registry.plugins("released")
    return any(getattr(known.get(text.partition(":")[0]), "reads_text", False) for text in attacks)


def text_notes(tables: Tables, plan: ReleasedPlan, released: int) -> list[str]:
    """What is to be said of free text: that no attack read it, or how many of the ``released`` rows were compared."""
    if not tables.free_texts:
        return []
    every = [registry.parse("released", text) for text in asked(plan.attacks)]
    readers = [attack for attack in every if getattr(attack, "reads_text", False)]
    if not readers:
        return [
            phrase(
                "No attack that was asked reads the free text in {names}: nothing is said of what its texts reveal. "
                "Ask {able} as well.",
                names=tuple(map(repr, tables.free_texts)),
                able=of_texts_alone(),
            )
        ]
    compared = [(attack.title, int(getattr(attack, "rows", released))) for attack in readers]
    return [
        phrase(
            "{title} compares with {rows:,} of the {released:,} released rows, drawn at random.",
            title=title,
            rows=rows,
            released=released,
        )
        for title, rows in compared
        if rows < released
    ]
