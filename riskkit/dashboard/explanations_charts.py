"""The figures of explanation audits. As :mod:`riskkit.dashboard.charts`: each carries the sentence it shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import plotly.graph_objects as go

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.charts import CHANCE, IN, INK, LINES, empty
from riskkit.dashboard.data_charts import label, shortened
from riskkit.language import counted, say
from riskkit.questions.explanations import words as said
from riskkit.questions.explanations.plan import NONE
from riskkit.questions.explanations.result import HARDEST, MODE, ExplanationsResult

Named = Callable[[str], str]
"""What people call an attacker or a defence."""
CONTROL = "#009E73"
LINE = 40
"""Pixels of one input."""
LETTERS = 22
MARKS = {
    "constant_median": "line-ns",
    "constant_mode": "line-ns",
    "empirical": "diamond-open",
    "uniform": "square-open",
    "normal": "triangle-down-open",
}
"""How a guess is drawn; a constant one is a dotted line from 0 with a stroke at its end."""


def features(result: ExplanationsResult, attacker: str, measure: str, called: Named) -> go.Figure:
    """One bar an input: what the attacker reaches, with its interval, beside every guess that sees no explanation."""
    names = [name for name in result.features if result.of_attacker(measure, attacker, name) is not None]
    figure = empty(_features_finding(result, attacker, called), height=LINE * len(names) + 130)
    heights = list(range(len(names), 0, -1))
    beaten = set(result.recovered[attacker])
    for guess in said.GUESSES:
        is_constant = guess == HARDEST[measure]
        if guess.startswith("constant") and not is_constant:
            continue
        rows = [(result.of_attacker(measure, guess, name), at) for name, at in zip(names, heights, strict=True)]
        there = [(e, at) for e, at in rows if e is not None]
        figure.add_scatter(
            x=[e.value for e, _ in there],
            y=[at - 0.24 for _, at in there],
            mode="markers",
            name=said.GUESSES[guess],
            marker={"symbol": MARKS[guess], "size": 9, "color": CHANCE, "line": {"width": 2, "color": CHANCE}},
            customdata=[wording.number(e) for e, _ in there],
            hovertemplate=f"{said.GUESSES[guess]}<br>%{{customdata}}<extra></extra>",
        )
        if is_constant:
            for one, at in there:
                line = {"color": CHANCE, "dash": "dot", "width": 1.5}
                figure.add_shape(type="line", x0=0, x1=one.value, y0=at - 0.24, y1=at - 0.24, line=line)
    estimates = [e for name in names if (e := result.of_attacker(measure, attacker, name)) is not None]
    _points(
        figure, estimates, [float(height) for height in heights], called(attacker), [name in beaten for name in names]
    )
    for e, at in zip(estimates, heights, strict=True):
        figure.add_shape(
            type="rect",
            x0=0,
            x1=e.value,
            y0=at - 0.13,
            y1=at + 0.13,
            fillcolor=IN,
            opacity=0.25,
            line={"width": 0},
            layer="below",
        )
    figure.update_xaxes(title=_axis(measure), range=[-0.01, 1.02], tickformat=".1f", zeroline=False)
    figure.update_yaxes(
        tickvals=heights,
        ticktext=[_marked(name, beaten) for name in names],
        showgrid=False,
        zeroline=False,
        range=[0.3, len(names) + 0.6],
    )
    figure.update_layout(legend={"orientation": "h", "y": -0.02, "yanchor": "top", "x": 0, "yref": "container"})
    figure.update_layout(legend={"y": 0, "yanchor": "bottom"}, margin={"b": 100})
    return figure


def _marked(name: str, beaten: set[str]) -> str:
    return f"{'▲ ' if name in beaten else ''}{label(name, LETTERS)}"


def _points(
    figure: go.Figure, estimates: Sequence[Estimate], at: Sequence[float], who: str, beats: Sequence[bool]
) -> None:
    figure.add_scatter(
        x=[e.value for e in estimates], y=list(at), mode="markers", name=who,
        error_x={
            "type": "data", "symmetric": False, "color": IN, "array": [e.high - e.value for e in estimates],
            "arrayminus": [e.value - e.low for e in estimates],
        },
        marker={
            "symbol": ["triangle-up" if one else "circle-open" for one in beats], "size": 10, "color": IN,
            "line": {"width": 2, "color": IN},
        },
        customdata=[wording.number(e) for e in estimates],
        hovertemplate=f"{who}<br>%{{customdata}}<extra></extra>",
    )  # fmt: skip


def _axis(measure: str) -> str:
    return {
        "success_rate": say("Share of values recovered"),
        "mae": say("Mean error (share of the range; lower is better for the attacker)"),
    }[measure]


def _features_finding(result: ExplanationsResult, attacker: str, called: Named) -> str:
    hit, of = len(result.recovered[attacker]), len(result.features)
    if not hit:
        return say(
            "{called} is not shown to beat the constant guess for any of {of} inputs", called=called(attacker), of=of
        )
    return say(
        "{called} recovers {hit} of {of} inputs better than any constant guess (▲)",
        called=called(attacker),
        hit=hit,
        of=of,
    )


def sizes(result: ExplanationsResult, called: Named) -> go.Figure:
    """How much is recovered from how many rows, one line an attacker, above the constant guess."""
    figure = empty(_sizes_finding(result, called), height=400)
    for index, attacker in enumerate(result.attackers):
        colour, dash = LINES[index % len(LINES)]
        rates = [(rows, result.of_attacker("success_rate", attacker, rows=rows)) for rows in result.counts.sizes]
        there = [(rows, rate) for rows, rate in rates if rate is not None]
        figure.add_scatter(
            x=[rows for rows, _ in there],
            y=[e.value for _, e in there],
            mode="lines+markers",
            name=called(attacker),
            line={"color": colour, "dash": dash},
            error_y=_up([e for _, e in there], colour),
            customdata=[wording.number(e) for _, e in there],
            hovertemplate=say("%{x:,} rows<br>%{customdata}<extra></extra>"),
        )
    _constant(figure, result)
    ticks = {"tickvals": list(result.counts.sizes), "ticktext": [f"{rows:,}" for rows in result.counts.sizes]}
    figure.update_xaxes(title=say("Rows the attacker holds or makes up (log scale)"), type="log", **ticks)
    figure.update_yaxes(title=say("Share of values recovered"), range=[0, 1.02])
    figure.update_layout(legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0})
    return figure


def _up(estimates: Sequence[Estimate], colour: str) -> dict[str, object]:
    ends = {"array": [e.high - e.value for e in estimates], "arrayminus": [e.value - e.low for e in estimates]}
    return {"type": "data", "symmetric": False, "color": colour, **ends}


def _constant(figure: go.Figure, result: ExplanationsResult) -> None:
    guess = result.of_attacker("success_rate", MODE)
    if guess is not None:
        figure.add_hline(guess.value, line={"color": CHANCE, "dash": "dot", "width": 2})
        figure.add_annotation(
            x=0,
            xref="paper",
            xanchor="left",
            y=guess.value,
            yanchor="top",
            showarrow=False,
            text=say("constant guess {number}", number=wording.number(guess)),
        )


def _sizes_finding(result: ExplanationsResult, called: Named) -> str:
    few = result.of_attacker("success_rate", result.best.attacker, rows=result.counts.sizes[0])
    many = result.of_attacker("success_rate", result.best.attacker)
    if few is None or many is None:
        return say("How much is recovered from how many rows")
    return say(
        "{called} recovers {few} of values with {fewest:,} rows, {many} with {most:,}",
        called=called(result.best.attacker),
        few=wording.share(few),
        fewest=result.counts.sizes[0],
        many=wording.share(many),
        most=result.counts.sizes[-1],
    )


def optimisers(result: ExplanationsResult) -> go.Figure:
    """The mean error of the attacking network, by optimiser and by where its learning rate comes from."""
    compared = result.compared()
    figure = empty(_optimisers_finding(result), height=380)
    for index, (rates, attackers) in enumerate(compared.items()):
        colour, _ = LINES[index % len(LINES)]
        there = [(_optimiser(name), e) for name in attackers if (e := result.of_attacker("mae", name)) is not None]
        figure.add_scatter(
            x=[e.value for _, e in there],
            y=[name for name, _ in there],
            mode="markers",
            name=said.RATES[rates],
            error_x=_up([e for _, e in there], colour),
            marker={"color": colour, "size": 11, "symbol": ("circle", "diamond", "square")[index % 3]},
            customdata=[wording.number(e) for _, e in there],
            hovertemplate=say("%{{y}}, {rates}<br>%{{customdata}}<extra></extra>", rates=said.RATES[rates].lower()),
        )
    figure.update_xaxes(title=_axis("mae"), rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(legend={"orientation": "h", "y": -0.25, "yanchor": "top", "x": 0}, scattermode="group")
    return figure


def _optimiser(spelled: str) -> str:
    _, _, rest = spelled.partition("optimiser=")
    return {"rmsprop": "RMSprop", "momentum": "Momentum", "sgd": "SGD"}.get(rest.split(",")[0], "Adam")


def _optimisers_finding(result: ExplanationsResult) -> str:
    told = []
    for rates, attackers in result.compared().items():
        there = [(name, e) for name in attackers if (e := result.of_attacker("mae", name)) is not None]
        order = [_optimiser(name) for name, _ in sorted(there, key=lambda pair: pair[1].value)]
        told.append(f"{said.RATES[rates].lower()}: {' < '.join(order)}")
    return say("Order of mean errors at {told}", told=say("; at ").join(told))


def correlation(result: ExplanationsResult, attacker: str, called: Named) -> go.Figure:
    """Each input: how much it has to do with the target against how well it is recovered."""
    there = [
        (name, result.associations[name], e)
        for name in result.features
        if name in result.associations and (e := result.of_attacker("mae", attacker, name)) is not None
    ]
    figure = empty(
        say(
            "How strongly each input is associated with the answered column, and how exactly {called} recovers it",
            called=called(attacker),
        ),
        height=420,
    )
    beaten = set(result.recovered[attacker])
    figure.add_scatter(
        x=[tie.value for _, tie, _ in there], y=[e.value for _, _, e in there], mode="markers+text",
        text=[label(name, LETTERS) for name, _, _ in there],
        textposition=_staggered([tie.value for _, tie, _ in there]),
        marker={
            "color": INK, "size": 10, "line": {"width": 2, "color": INK},
            "symbol": ["triangle-up" if name in beaten else "circle-open" for name, _, _ in there],
        },
        error_y=_up([e for _, _, e in there], INK),
        customdata=[
            [said.ASSOCIATIONS[tie.name], wording.number(tie), wording.number(e), label(name)]
            for name, tie, e in there
        ],
        meta=[None, None, None, say("Input")],
        hovertemplate=say("%{text}<br>%{customdata[0]} %{customdata[1]}<br>mean error %{customdata[2]}<extra></extra>"),
        showlegend=False,
    )  # fmt: skip
    reach = max([0.1, *(tie.value for _, tie, _ in there)])
    figure.update_xaxes(title=say("Association with the answered column (0 to 1)"), range=[-0.08 * reach, 1.15 * reach])
    top = max([0.1, *(e.high for _, _, e in there)])  # errors of rounding alone lie on the ground
    figure.update_yaxes(title=say("Mean error (share of the range)"), range=[-0.08 * top, 1.12 * top])
    return figure


def _staggered(at: Sequence[float]) -> list[str]:
    """Where the name of each point stands: by turns from left to right, so that neighbours do not hide each other."""
    turns = ("top center", "bottom center", "middle right", "middle left")
    places = {place: turns[turn % len(turns)] for turn, place in enumerate(sorted(range(len(at)), key=at.__getitem__))}
    return [places[place] for place in range(len(at))]


def frontier(result: ExplanationsResult, called: Named) -> go.Figure:
    """Every defence: what readers keep against what the best attacker recovers. Down and right is better."""
    figure = empty(_frontier_finding(result, called), height=440)
    for defence in (NONE, *result.stopped):
        best, top = result.best_under(defence), result.left_to_readers("top_three", defence)
        if best is None or top is None:
            continue
        stopped = result.stopped.get(defence, not any(reached.successful for reached in result.against))
        colour, symbol = (CONTROL, "circle-open") if stopped else (IN, "triangle-up")
        name = say("no defence") if defence == NONE else called(defence)
        figure.add_scatter(
            x=[top.value],
            y=[best[1].value],
            mode="markers+text",
            text=[shortened(name, 34)],
            textposition=f"{'bottom' if defence == NONE else 'top'} {'left' if top.value > 0.5 else 'right'}",
            showlegend=False,
            marker={"color": colour, "symbol": symbol, "size": 12, "line": {"width": 2, "color": colour}},
            error_x={**_up([top], colour), "thickness": 1},
            error_y={**_up([best[1]], colour), "thickness": 1},
            customdata=[[wording.number(best[1]), wording.number(top), label(name)]],
            meta=[None, None, say("Defence")],
            hovertemplate=say("%{text}<br>recovered %{customdata[0]}<br>top three %{customdata[1]}<extra></extra>"),
        )
    _constant(figure, result)
    figure.update_xaxes(title=say("Share of the three weightiest reasons that the defence keeps"), range=[0, 1.08])
    figure.update_yaxes(title=say("Share of values the best attacker recovers"), range=[0, 1.08])
    return figure


def _frontier_finding(result: ExplanationsResult, called: Named) -> str:
    left = [(name, result.left_to_readers("top_three", name)) for name, stops in result.stopped.items() if stops]
    stops = [(name, top) for name, top in left if top is not None]
    if not stops:
        return say("No defence that was tried stops the attack; ▲ still beats the constant guess")
    best, top = max(stops, key=lambda pair: pair[1].value)
    return say(
        "With {stops} of {defences}, no attack is shown to beat the constant guess; {called} keeps {top} of the "
        "three weightiest reasons",
        stops=len(stops),
        defences=counted(len(result.stopped), "{n:,} defence", "{n:,} defences"),
        called=called(best),
        top=wording.share(top),
    )
