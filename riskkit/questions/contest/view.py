"""What a page, a report and a notebook show of a contest, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from riskkit.language import say
from riskkit.questions.contest import called, declared_words, pictures, tables, words
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest.points import LESSON
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.usefulness import About
from riskkit.show.blocks import Group, Sentence, mapped
from riskkit.show.model import Block
from riskkit.show.names import Names


def view(result: ContestResult, names: Names) -> tuple[Block, ...]:
    """Everything, in the order of the page; nothing where nothing could be played."""
    if not result.standings:
        return ()
    measures = called.measures(result, names)
    every: tuple[Block, ...] = (
        *_uploads(result, names),
        pictures.matrix(result, names),
        *_planted(result, names),
        *_methods(result, names),
        lesson(result, names),
        Sentence("winner", contest_ranking.sentence(result.ranking, who(result, names)), words.GLOSSARY["points"]),
        *_frontiers(result, measures, names),
        _standings(result, measures, names),
        *_declared(result, names),
        *_learnt(result, measures, names),
        _numbers(result, measures, names),
    )
    return tuple(mapped(block, names.estimate) for block in every)


def who(result: ContestResult, names: Names) -> Callable[[str], str]:
    """What people call each of its releases, by name."""
    uploaded = _uploaded(result)
    return lambda name: called.named(name, names, is_uploaded=uploaded.get(name, False))


def _uploaded(result: ContestResult) -> dict[str, bool]:
    """Of each release by name whether it was handed in."""
    return {standing.name: standing.is_uploaded for standing in result.standings}


def _uploads(result: ContestResult, names: Names) -> Iterator[Sentence]:
    """Where each release that was handed in sits."""
    for place, kept in enumerate(result.uploads):
        if sentence := called.sentence(kept, _uploaded(result), names):
            yield Sentence(f"upload {place}", sentence)


def _planted(result: ContestResult, names: Names) -> Iterator[Sentence]:
    """Whether the attackers found the sample itself."""
    if result.controls:
        mark = "✓" if all(look.is_found for look in result.controls) else "○"
        planted = words.planted(result, lambda name: called.attacker(name, names))
        yield Sentence("planted", f"{mark} {planted}", words.GLOSSARY["control"], is_small=True)


def methods(result: ContestResult, names: Names) -> tuple[Sentence, ...]:
    """What was found of each release, in the order of the plan; empty texts where it may not be told."""
    uploaded = _uploaded(result)
    return tuple(
        Sentence(f"method {place}", called.sentence(kept, uploaded, names), is_small=True)
        for place, kept in enumerate(result.sentences)
    )


def _methods(result: ContestResult, names: Names) -> Iterator[Group]:
    sentences = tuple(sentence for sentence in methods(result, names) if sentence.text)
    if sentences:
        yield Group("methods", say("Release by release"), sentences, is_folded=True)


def lesson(result: ContestResult, names: Names) -> Sentence:
    """The lesson of 2020: as this contest teaches it again, else in general."""
    again = called.sentence(result.lesson, _uploaded(result), names)
    return Sentence("lesson", again or LESSON, is_small=not again)


def _frontiers(result: ContestResult, measures: Mapping[str, About], names: Names) -> Iterator[Group]:
    """Usefulness against protection, by the first measure; by all others for files."""
    drawn = [pictures.frontier(result, name, measures[name], names) for name in result.pictures]
    if drawn:
        first, *others = drawn
        by_others = Group("frontiers_by_others", "", tuple(others), on_paper=False)
        yield Group("frontiers", say("Privacy against usefulness"), (first, *([by_others] if others else [])))


def _standings(result: ContestResult, measures: Mapping[str, About], names: Names) -> Group:
    """Who may take part and why not, points, and what attackers are paid."""
    rules = result.plan.rules
    asked = [
        f"{about.title} {words.threshold(name, rules)}"
        for name, about in measures.items()
        if words.threshold(name, rules)
    ]
    caption = say(
        "Thresholds of usefulness: {asked}. {points}",
        asked="; ".join(asked) or say("none"),
        points=words.GLOSSARY["points"],
    )
    paid = [tables.paid(result, names)] if result.ranking.places else []
    title = say("Who may take part, and points")
    return Group("standings", title, (tables.standings(result, names), *paid), caption=caption)


def _declared(result: ContestResult, names: Names) -> Iterator[Group]:
    """What is declared of each release and counted, which paper has on the page of the question.

    Counts of single people are for those who may see rows alone.
    """
    lines = declared_words.lines(result, who(result, names)) if names.tells else ()
    if lines:
        sentences = tuple(Sentence(f"declared {place}", called.as_sentence(line)) for place, line in enumerate(lines))
        title = say("What is declared, and k and δ-presence as they are counted")
        yield Group("declared", title, sentences, is_folded=True, on_paper=False)


def _learnt(result: ContestResult, measures: Mapping[str, About], names: Names) -> Iterator[Group]:
    """What models get right that learnt from each release."""
    table = tables.learnt(result, measures, names)
    if table is not None:
        caption = say(
            "{learnt} Tested on {tested:,} people.", learnt=words.GLOSSARY["learnt"], tested=result.others.rows
        )
        yield Group("learnt", say("What can be learnt from each release"), (table,), caption=caption)


def _numbers(result: ContestResult, measures: Mapping[str, About], names: Names) -> Group:
    """Every number of hits and of usefulness, each table with what must be known to read it."""
    blocks: list[Block] = [
        tables.hits(result, names),
        Sentence("hits_read", _hits_read(result), is_small=True),
        tables.usefulness(result, measures, names),
    ]
    if not all(result.useful(standing.name).keys() >= standing.usefulness.keys() for standing in result.standings):
        blocks.append(Sentence("usefulness_read", words.GLOSSARY["usefulness"], is_small=True))
    blocks += [
        tables.elsewhere(result, measures, names),
        Sentence("elsewhere_read", words.GLOSSARY["elsewhere"], is_small=True),
        Group(
            "measures",
            "",
            tuple(
                Sentence(f"measure {place}", about.plain, about=about.title)
                for place, about in enumerate(measures.values())
            ),
        ),
    ]
    return Group("numbers", say("All numbers"), tuple(blocks), is_folded=True)


def _hits_read(result: ContestResult) -> str:
    first = result.estimates[0]
    units = say("{n:,} guesses", n=first.n) if first.method.startswith("exact") else say("{n:,} rounds", n=first.n)
    return say(
        "Hits [low, high]; {level:.4g} % intervals over {units}. {hits}",
        level=100 * first.level,
        units=units,
        hits=words.GLOSSARY["hits"],
    )
