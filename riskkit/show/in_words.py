"""What is drawn, in words: for those who hear a page or a report instead of seeing it.

The sentence over a drawing says what follows from it; the description holds its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import Readings, joined, phrase, say
from riskkit.show.blocks import (
    FEWER,
    MORE,
    CountMatrix,
    Curve,
    Distribution,
    Dots,
    Frontier,
    Grid,
    Picture,
    Points,
    Reference,
    RocCurve,
    Swarm,
)
from riskkit.show.model import Bar, Chart
from riskkit.stats.epsilon import BOUNDS


def picture_in_words(picture: Picture, limit: float | None = None) -> str:
    """Every number of a picture, thing by thing; of intervals the limit too."""
    return _intervals_in_words(picture, limit) if isinstance(picture, Chart) else IN_WORDS[type(picture)](picture)


def _dots_in_words(dots: Dots) -> str:
    """Row by row, everything that was measured there; rows in which guesses are beaten say so."""
    sentences = [say("A chart of values: {axis}.", axis=dots.axis.title)]
    for place, row in enumerate(dots.rows):
        known = [(series.who, e) for series in dots.series if (e := series.estimates[place]) is not None]
        values = "; ".join(say("{who} {value}", who=who, value=_spoken_number(e)) for who, e in known)
        sentences.append(say("{row}: {values}.", row=row, values=values))
    if dots.beaten:
        sentences.append(
            say("Guesses are beaten in: {rows}.", rows=joined(row for row in dots.rows if row in dots.beaten))
        )
    return " ".join(sentences)


def _curve_in_words(curve: Curve) -> str:
    """Line by line, the number at each place."""
    sentences = [say("A chart of {up} by {across}.", up=curve.up.title, across=curve.across.title)]
    for line in curve.lines:
        values = "; ".join(
            say("at {name}: {value}", name=curve.name(place), value=_spoken_number(e))
            if curve.names
            else say("at {place:,} {unit} {value}", place=place, unit=curve.unit, value=_spoken_number(e))
            for place, e in zip(line.at, line.estimates, strict=True)
        )
        sentences.append(say("{row}: {values}.", row=line.who, values=values))
    return " ".join([*sentences, *_references_in_words(curve.reference)])


def _points_in_words(points: Points) -> str:
    """Point by point, both numbers."""
    sentences = [say("A chart of {up} by {across}.", up=points.up.title, across=points.across.title)]
    for point in points.points:
        about = [*point.about, *([say("guessing is beaten")] if point.kind in ("above", "leak") else [])]
        sentences.append(say("{row}: {values}.", row=point.who, values="; ".join(about)))
    return " ".join([*sentences, *_references_in_words(points.reference)])


def _roc_in_words(curve: RocCurve) -> str:
    """Whose lines they are, and every share that has an interval."""
    lines = "; ".join(f"{line.who}, {line.about}" if line.about else line.who for line in curve.lines)
    sentences = [say("A ROC curve of {lines}.", lines=lines)]
    for x, e in curve.marked:
        fpr, value = say("{share} %", share=f"{100 * x:g}"), _spoken_number(e)
        if x < 0.01:
            value = wording.share_in_tenths(e)
        sentences.append(say("At {fpr} false alarms: {value}.", fpr=fpr, value=value))
    return " ".join(sentences)


def _spread_in_words(spread: Distribution) -> str:
    """Of either side between which values half of it lies."""
    sentences = [say("A chart of how values are spread: {axis}.", axis=spread.across.title)]
    for who, _, shares in spread.sides:
        low, high = (_quantile(spread.edges, shares, share) for share in (0.25, 0.75))
        sentences.append(say("{who}: half between {low:.3g} and {high:.3g}.", who=who, low=low, high=high))
    return " ".join(sentences)


def _quantile(edges: tuple[float, ...], shares: tuple[float, ...], share: float) -> float:
    """The edge at which so large a share lies below, or just more."""
    below = accumulate(shares)
    return next((edge for edge, part in zip(edges[1:], below, strict=True) if part >= share - 1e-9), edges[-1])


def _references_in_words(reference: Reference | None) -> list[str]:
    return [] if reference is None else [f"{reference.label}."]


def _intervals_in_words(chart: Chart, limit: float | None) -> str:
    """The name and the value of every line from top to bottom, then guessing and the limit."""
    sentences = [say("A chart of intervals: {axis}.", axis=chart.axis)]
    for bar in chart.bars:
        sentences.append(say("{who}: {value}.", who=bar.name, value=_value(chart, bar)))
        if bar.control is not None:
            sentences.append(say("On the planted leak: {value}.", value=_spoken_number(bar.control)))
    if chart.guess is not None:
        sentences.append(say("Guessing reaches {guess:.2f}.", guess=chart.guess))
        if limit is not None:
            sentences.append(say("The limit is {limit:.2f}.", limit=limit))
    return " ".join(sentences)


def _value(chart: Chart, bar: Bar) -> str:
    return chart.label(bar) if chart.as_shares else _spoken_number(bar.estimate)


def _grid_in_words(grid: Grid) -> str:
    """What is gained in each field, row by row; the fields with a sign say what it means."""
    sentences = [say("A map of values: {title}.", title=grid.title)]
    for secret, cells, marks in zip(grid.rows, grid.cells, grid.marked, strict=True):
        for known, cell, is_shown in zip(grid.columns, cells, marks, strict=True):
            figures = {"secret": secret, "known": known, "value": "–" if cell is None else f"{cell.value:.2f}"}
            if is_shown:
                sentences.append(say("{secret} from {known}: {value}; {mark}.", mark=grid.mark, **figures))
            else:
                sentences.append(say("{secret} from {known}: {value}.", **figures))
    return " ".join(sentences)


SIGNS: Mapping[str, str] = Readings(
    {
        MORE: phrase("more than guessing explains"),
        FEWER: phrase("fewer than guessing explains"),
    }
)
"""What the signs of a count say."""


def _matrix_in_words(matrix: CountMatrix) -> str:
    """Every count row by row, the best last, with what its sign says; then guessing."""
    sentences = [say("A table of counts: {title}, of {most:,}.", title=matrix.title, most=matrix.most)]
    for row in matrix.rows:
        counts = "; ".join(
            say("{who} {value}", who=head, value=_count_in_words(matrix, count))
            for head, count in zip(matrix.heads, (*row.counts, row.best), strict=True)
        )
        sentences.append(say("{row}: {values}.", row=row.who, values=counts))
    return " ".join([*sentences, say("Guessing finds {guess:.1f}.", guess=matrix.guess)])


def _count_in_words(matrix: CountMatrix, count: Estimate | None) -> str:
    if count is None:
        return "–"
    sign = matrix.sign(count)
    return joined([_count(count), *([SIGNS[sign]] if sign else [])])


def _count(count: Estimate) -> str:
    """A count with the ends of its interval, as it is read out."""
    return say(
        "{value:.4g}, between {low:.1f} and {high:.1f}",
        value=count.value,
        low=count.low,
        high=count.high,
    )


def _frontier_in_words(frontier: Frontier) -> str:
    """Usefulness and hits of every method, and who beats it; then guessing."""
    sentences = [say("A chart of {up} by {across}.", up=frontier.up, across=frontier.across)]
    for spot in frontier.spots:
        useful = f"{spot.usefulness:.3f}" if spot.useful is None else _spoken_number(spot.useful)
        about = [say("usefulness {useful}", useful=useful), say("hits {count}", count=_count(spot.hits))]
        about += [say("beaten by {others}", others=joined(spot.beaten))] if spot.beaten else []
        sentences.append(say("{row}: {values}.", row=spot.who, values="; ".join(about)))
    if frontier.others is not None:
        sentences.append(say("A table of other people: usefulness {useful:.3f}.", useful=frontier.others))
    return " ".join([*sentences, say("Guessing finds {guess:.1f}.", guess=frontier.guess)])


def bar_in_words(title: str, estimate: Estimate | None, beside: str) -> str:
    """One measurement on the line of its question."""
    if estimate is None:
        return say("{title}: no value; {beside}.", title=title, beside=beside)
    return say("{title}: the value is {value}; {beside}.", title=title, value=_spoken_number(estimate), beside=beside)


def _spoken_number(estimate: Estimate) -> str:
    """A number with the ends of its interval, as it is read out; of a bound on epsilon what its line says."""
    if estimate.name in BOUNDS or estimate.method in (wording.EXACT_BOUND, wording.COUNTED):
        return wording.number(estimate)
    return say(
        "{value:.2f}, between {low:.2f} and {high:.2f}",
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
    )


IN_WORDS: Mapping[type, Callable[[Any], str]] = {
    Dots: _dots_in_words,
    Curve: _curve_in_words,
    Points: _points_in_words,
    RocCurve: _roc_in_words,
    Distribution: _spread_in_words,
    Swarm: lambda swarm: _spread_in_words(swarm.spread),
    Grid: _grid_in_words,
    CountMatrix: _matrix_in_words,
    Frontier: _frontier_in_words,
}
"""How each picture but one of intervals is said."""
