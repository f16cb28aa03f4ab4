"""Figures hold the numbers they were given, in the fixed colours, on named axes, under a sentence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from riskkit.core import Estimate, Scores
from riskkit.dashboard.frame.views import names
from riskkit.dashboard.pages import audits_compare
from riskkit.figures import blocks, canvas, records_charts
from riskkit.questions.membership import view
from riskkit.questions.membership.people import outlier_map
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import Headline, Outcome, allowing
from riskkit.report import plots
from riskkit.report.compare import Pair
from riskkit.show import in_words
from tests.tables import mixed

GROUNDS = {"light": "#FCFCFB", "dark": "#131417"}
LABELS = {"generator": "stat", "target": "selective", "position": "0", "record": "17", "attack": "mvl"}

NAMES = names()
PRIVATE = "privbayes:epsilon=1"


def estimate(name: str, value: float, low: float, high: float) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "made up", 40, LABELS)


def outcome() -> Outcome:
    """Twelve trainings of two releases: those with the record score 1 to 12, those without -5.5 to 5.5."""
    is_in = np.repeat([True, False], 12)
    training = np.repeat(np.arange(12), 2)
    value = np.concatenate([np.arange(1, 13), np.arange(12) - 5.5])
    scores = Scores(value, is_in, training, np.zeros(24, dtype=np.int64), "mvl")
    return Outcome(LABELS, scores, {"auc": estimate("auc", 0.86, 0.7, 0.95)})


def traces(figure: Any) -> list[Any]:
    return [trace for trace in figure.data if trace.mode == "markers"]


def best(outcomes: Sequence[Outcome], about: Outcome) -> Headline:
    return Headline(about, about.estimates["auc"], len(outcomes))


def played(who: str, method: str = "stat", **estimates: tuple[float, float, float]) -> Outcome:
    """An outcome of that attack on that method; every one has an AUC as its accuracy where none is given."""
    labels = {**LABELS, "attack": who, "generator": method}
    ends_of = {"auc": next(iter(estimates.values())), **estimates}
    return Outcome(labels, outcome().scores, {name: estimate(name, *ends) for name, ends in ends_of.items()})


def success(*outcomes: Outcome) -> Any:
    drawn = view.success(outcomes, best(outcomes, outcomes[0]), NAMES)
    return blocks.figure(drawn)


def roc(outcomes: Sequence[Outcome], plan: MembershipPlan | None = None, *, is_log: bool = False) -> Any:
    return blocks.figure(view.roc(outcomes, plan or MembershipPlan(), NAMES, is_log=is_log))


def lines(figure: Any) -> list[Any]:
    """The curves alone: no chance, no band, no region."""
    return [trace for trace in figure.data if trace.line.width == 2.5]


STRONG, WEAK = (0.86, 0.79, 0.91), (0.52, 0.41, 0.63)


def test_success_shows_value_interval_and_chance() -> None:
    figure = success(played("strong", accuracy=STRONG), played("weak", accuracy=WEAK))
    (dots,) = traces(figure)
    assert list(dots.x) == [0.86, 0.52]
    assert list(dots.error_x.array) == pytest.approx([0.05, 0.11])
    assert list(dots.error_x.arrayminus) == pytest.approx([0.07, 0.11])
    assert list(dots.marker.symbol) == ["triangle-up", "circle-open"]
    assert {shape.x0 for shape in figure.layout.shapes} == {0.5}
    texts = {note.text for note in figure.layout.annotations}
    assert texts == {
        "<b>0.86 [0.79, 0.91]</b>  strong",
        "<b>0.52 [0.41, 0.63]</b>  weak",
        "guessing",
        "▲ better than guessing",
    }
    assert figure.layout.meta == "1 of 2 attacks does better than guessing"
    assert figure.layout.xaxis.title.text.startswith("AUC")


def test_success_does_not_call_guessing_a_success() -> None:
    figure = success(played("weak", accuracy=(0.62, 0.41, 0.73)))
    assert figure.layout.meta == "No attack does better than guessing (AUC 0.50)"


def test_other_methods_stand_in_a_picture_of_their_own() -> None:
    outcomes = [played("strong", "histogram", accuracy=STRONG), played("weak", accuracy=WEAK)]
    drawn = view.success(outcomes, best(outcomes, outcomes[1]), NAMES)
    assert [bar.who for bar in drawn.bars] == ["weak"]
    assert drawn.sentence == "No attack does better than guessing (AUC 0.50)"


def test_every_picture_has_the_interval_of_the_verdict() -> None:
    """Another measure, and an AUC that allows for one look alone, stand among all numbers."""
    both = [played("strong", auc=STRONG, accuracy=(0.7, 0.6, 0.8)), played("weak", auc=WEAK)]
    wide = allowing(both, 0.975)
    first, aucs = view.success(wide, best(wide, wide[0]), NAMES), view.aucs(wide, NAMES)
    assert aucs is not None
    assert [bar.estimate for bar in aucs.bars] == [bar.estimate for bar in first.bars]
    assert {bar.estimate.level for bar in first.bars} == {0.975}
    assert allowing(both, both[0].estimates["auc"].level) == both


def test_roc_is_the_curve_with_chance_and_area() -> None:
    figure = roc([outcome()])
    (line,) = lines(figure)
    assert (figure.data[0].line.color, figure.data[0].line.width) == (canvas.CHANCE, 1)
    curve = outcome().curve()
    assert curve is not None
    assert list(line.x) == list(curve.fpr)
    assert list(line.y) == list(curve.tpr)
    assert line.name == "Mean and covariance (MVL)<br>AUC 0.86 [0.70, 0.95]"
    assert figure.layout.xaxis.type is None
    assert "False alarms" in figure.layout.xaxis.title.text
    assert "Named" in figure.layout.yaxis.title.text
    assert figure.layout.meta == "Mean and covariance (MVL) tells them apart best: AUC 0.86 [0.70, 0.95], guessing 0.50"


def test_roc_does_not_praise_an_attack_that_only_guesses() -> None:
    weak = Outcome(LABELS, outcome().scores, {"auc": estimate("auc", 0.56, 0.37, 0.73)})
    assert roc([weak]).layout.meta.startswith("No attack tells the releases apart")


def test_log_roc_stops_at_one_training_in_those_without() -> None:
    figure = roc([outcome()], is_log=True)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.xaxis.range[0] == pytest.approx(np.log10(1 / 6))
    assert list(figure.layout.xaxis.tickvals) == pytest.approx([0.2, 0.5, 1.0])
    assert min(lines(figure)[0].x) == pytest.approx(1 / 6)
    assert "1 in 6" in figure.layout.annotations[0].text


def test_attacks_differ_by_dash_and_not_by_colour_alone() -> None:
    figure = roc([played(str(place), auc=STRONG) for place in range(5)])
    assert len({trace.line.dash for trace in lines(figure)}) == 5


def test_paper_and_words_have_every_line_of_the_curves() -> None:
    private = MembershipPlan(generators=(PRIVATE,), relation="replace-one")
    labels = {**LABELS, "generator": PRIVATE}
    drawn = view.roc([replace(outcome(), labels=labels)], private, NAMES)
    paper = plots.svg(drawn)
    assert paper.count("<polyline") == 4, "the curve, both ends of its interval, and what is promised"
    assert "most that ε = 1 allows" in paper
    assert "A ROC curve of Mean and covariance (MVL), AUC 0.86 [0.70, 0.95]." in in_words.picture_in_words(drawn)


def test_scores_put_each_training_on_its_own_height() -> None:
    figure = blocks.figure(view.scores(outcome()))
    out, inside = traces(figure)
    assert (inside.marker.color, inside.marker.symbol) == (canvas.IN, "circle")
    assert (out.marker.color, out.marker.symbol) == (canvas.OUT, "diamond")
    assert sorted(inside.x) == list(range(1, 13))
    assert len(set(inside.y)) == len(set(out.y)) == 6
    assert max(out.y) < min(inside.y)
    for trace in (inside, out):
        heights = dict(zip(trace.y, trace.customdata, strict=True))
        assert len(set(heights.values())) == 6
        means = [
            np.mean([x for x, y in zip(trace.x, trace.y, strict=True) if y == height])
            for height in sorted(set(trace.y))
        ]
        assert means == sorted(means)
    assert {shape.x0 for shape in figure.layout.shapes} == {0}
    names = [note.y for note in figure.layout.annotations if "record" in note.text]
    assert not any(shape.y0 <= name <= shape.y1 for name in names for shape in figure.layout.shapes), "struck through"
    assert (
        figure.layout.meta == "100 % of the releases with the record score above the cut, and 50 % of those without it"
    )


def test_scores_that_are_all_above_the_cut_are_said_to_tell_nothing() -> None:
    sentence = view._score_sentence(1.0, 1.0)
    assert sentence == "The attack says “in” for 100 % of the releases, with the record and without it alike"
    assert "100 %" not in sentence.replace("100 %", "", 1), "once, not twice"


def test_the_map_shows_the_farthest_rows_and_never_a_value() -> None:
    table = mixed(300)
    outliers = outlier_map(table)
    figure = canvas.outliers(outliers, [int(outliers.row[2])])
    (dots,) = traces(figure)
    assert [index for index, symbol in enumerate(dots.marker.symbol) if symbol == "diamond"] == [2]
    assert dots.marker.opacity[2] == 1 > dots.marker.opacity[1]
    assert dots.selectedpoints is None
    assert list(dots.y) == pytest.approx(list(outliers.distance))
    assert list(dots.y) == sorted(dots.y, reverse=True)
    assert dots.hovertemplate.startswith("row %{customdata[0]:d}")
    assert [custom[0] for custom in dots.customdata] == outliers.row.tolist()
    assert figure.layout.meta.startswith(f"Row {outliers.row[0]} stands out most")
    assert figure.layout.dragmode is False, "else Streamlit takes no clicks"
    assert canvas.outliers(outliers, [], by_box=True).layout.dragmode == "select"


def test_nothing_chosen_dims_nothing() -> None:
    (dots,) = traces(canvas.outliers(outlier_map(mixed(60)), []))
    assert set(dots.marker.opacity) == {1}
    assert set(dots.marker.symbol) == {"circle"}


def test_the_map_by_place_uses_the_two_main_directions() -> None:
    outliers = outlier_map(mixed(300, missing=False))
    (dots,) = traces(canvas.outliers(outliers, [], by_rank=False))
    assert list(dots.x) == pytest.approx(list(outliers.across))
    assert list(dots.marker.color) == pytest.approx(list(outliers.distance))


def test_a_large_table_is_cut_and_says_so() -> None:
    outliers = outlier_map(mixed(300), most=50)
    assert len(outliers.row) == 50
    assert "the picture shows the 50 of 300 rows that stand out most" in canvas.outliers(outliers, []).layout.meta


def test_grounds_are_clear_so_that_both_themes_show_through() -> None:
    for figure in (blocks.figure(view.scores(outcome())), roc([outcome()])):
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == canvas.CLEAR


@pytest.mark.parametrize("theme", GROUNDS)
@pytest.mark.parametrize("colour", sorted({canvas.IN, canvas.OUT, canvas.CHANCE, *(c for c, _ in canvas.LINES)}))
def test_colours_stand_off_both_grounds(colour: str, theme: str) -> None:
    """Contrast of at least 3, which graphics need (WCAG 2.1, 1.4.11)."""
    light, dark = sorted((luminance(colour), luminance(GROUNDS[theme])), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def luminance(colour: str) -> float:
    parts = [int(colour[number : number + 2], 16) / 255 for number in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_band_and_the_region_of_an_epsilon_lie_around_the_curve() -> None:
    private = MembershipPlan(generators=(PRIVATE,), relation="replace-one")
    figure = roc([replace(outcome(), labels={**LABELS, "generator": PRIVATE})], private)
    by_name = {trace.name: trace for trace in figure.data if trace.name}
    most = by_name["most that ε = 1 allows"]
    assert (np.asarray(most.y) >= np.asarray(most.x) - 1e-12).all()
    place = int(np.argmin(np.abs(np.asarray(most.x) - 0.1)))
    assert most.y[place] == pytest.approx(np.e * most.x[place], rel=1e-9)
    (shaded,) = [trace for name, trace in by_name.items() if "interval of Mean and covariance" in name]
    band = outcome().band()
    assert band is not None
    assert list(shaded.y) == pytest.approx(list(band.high))
    assert (band.low <= band.high).all()
    assert band.fpr[0] == pytest.approx(3 / 6)


def test_the_histogram_counts_trainings_and_not_releases() -> None:
    spread = view.scores(outcome()).spread
    shares = {is_in: np.array(own) for _, is_in, own in spread.sides}
    assert shares[True].sum() == pytest.approx(1)
    assert shares[False].sum() == pytest.approx(1)
    right = shares[False][np.array(spread.edges[:-1]) >= 0].sum()
    assert right == pytest.approx(0.5), "six of its twelve releases score above the cut"
    assert 0.0 in spread.edges, "no step holds answers of both kinds"
    assert [who for who, *_ in spread.sides] == [
        "without the record, 6 trainings, 12 releases",
        "with the record, 6 trainings, 12 releases",
    ]


def test_one_training_with_many_releases_counts_once() -> None:
    """The fault planted: counted by releases, nine of ten would lie at 1."""
    is_in, training = np.repeat([True, False], 10), np.array([0] * 9 + [1] + [2] * 9 + [3])
    value = np.where(training % 2 == 0, 1.0, -1.0)
    uneven = Outcome(LABELS, Scores(value, is_in, training, np.zeros(20, dtype=np.int64), "mvl"), {})
    for _, _, shares in view.scores(uneven).spread.sides:
        assert [share for share in shares if share] == pytest.approx([0.5, 0.5])


def test_the_cut_is_marked_on_page_and_paper() -> None:
    plot = view.scores(outcome())
    for figure in (blocks.figure(plot), blocks.figure(plot.spread)):
        assert {shape.x0 for shape in figure.layout.shapes} == {0}
    assert "cut: says “in”" in plots.svg(plot)
    assert plots.svg(plot) == plots.svg(plot.spread)
    assert "with the record, 6 trainings, 12 releases: half between" in in_words.picture_in_words(plot)


def test_the_curve_over_targets_says_from_how_many_on_they_show() -> None:
    points = {1: estimate("accuracy", *WEAK), 10: estimate("accuracy", 0.9, 0.8, 0.96)}
    figure = blocks.figure(view.targets({"Strong": points}))
    assert figure.layout.meta.startswith("Strong does better than guessing from 10 targets on")
    assert list(figure.data[0].x) == [1, 10]
    assert figure.layout.xaxis.type == "log"
    assert "however many" in view.targets({"Weak": {1: points[1]}}).sentence


def pair(left: float, right: float, about: str = "", name: str = "auc") -> Pair:
    first, other = (Estimate(name, value, value - 0.05, value + 0.05, 0.95, "by hand", 20) for value in (left, right))
    return Pair(name, {"attack": about} if about else {}, first, other)


def test_both_runs_are_drawn_with_their_intervals() -> None:
    figure = blocks.figure(audits_compare.chart("membership", [pair(0.5, 0.8, "mvl"), pair(0.6, 0.62, "dcr")]))
    left, right = figure.data
    assert list(left.x) == [0.5, 0.6]
    assert list(right.x) == [0.8, 0.62]
    assert [round(reach, 6) for reach in left.error_x.array] == [0.05, 0.05]
    assert left.marker.symbol != right.marker.symbol
    assert [a > b for a, b in zip(left.y, right.y, strict=True)] == [True, True]
    assert (
        figure.layout.meta
        == "AUC (Mean and covariance (MVL)) is higher in B: 0.50 [0.45, 0.55] against 0.80 [0.75, 0.85]"
    )
    texts = [note.text for note in figure.layout.annotations]
    assert "guessing" in texts
    assert "Mean and covariance (MVL) (apart)<br><b>0.50 [0.45, 0.55]</b>  Run A" in texts
    assert "Distance to the closest row<br><b>0.60 [0.55, 0.65]</b>  Run A" in texts


def test_where_nothing_is_apart_the_sentence_says_so() -> None:
    figure = blocks.figure(audits_compare.chart("attributes", [pair(0.6, 0.62, name="mae")]))
    assert figure.layout.meta == "Mean error: the intervals of A and B overlap everywhere"
    assert "guessing" not in [note.text for note in figure.layout.annotations], "no reference is known"


def test_of_many_numbers_those_that_differ_most_are_drawn_in_their_order() -> None:
    pairs = [pair(0.5, 0.5 + index / 100, str(index)) for index in range(30)]
    drawn = audits_compare.drawn_pairs(pairs)
    assert [pair.labels["attack"] for pair in drawn] == [str(index) for index in range(18, 30)]
    figure = blocks.figure(audits_compare.chart("membership", pairs))
    assert str(figure.layout.meta).endswith("the picture shows the 12 of 30 that differ most")
    assert len(figure.data[0].x) == 12


def test_a_name_that_came_with_a_file_is_drawn_letter_by_letter() -> None:
    pairs = [pair(0.5, 0.9, "<a href='x'>n</a>", "delta"), pair(0, 0.1, "b", "delta")]
    figure = blocks.figure(audits_compare.chart("attributes", pairs))
    drawn = " ".join(str(note.text) for note in figure.layout.annotations)
    assert "<a" not in drawn
    assert "&lt;a href" in drawn


@pytest.mark.parametrize(
    ("after", "does"), [((0.8, 0.8), False), ((0.8, 0.797), False), ((0.8, 0.79), True), ((), False)]
)
def test_what_helps_can_be_seen(after: tuple[float, ...], does: bool) -> None:
    rows = [("age", 5, auc) for auc in after]
    assert records_charts.helps(0.8, rows) is does
    sentence = str(records_charts.coarser(0.8, rows, 5).layout.meta)
    assert ("lowers the best attack from 0.80 to 0.79" in sentence) is does
    assert ("leaves the best attack at 0.80" in sentence) is not does


def page(after: list[float]) -> None:
    from types import SimpleNamespace
    from typing import Any, cast

    from riskkit.dashboard.pages import records_one

    changes: Any = [
        SimpleNamespace(
            column="age",
            people=5,
            before=SimpleNamespace(auc=SimpleNamespace(value=0.8)),
            after=SimpleNamespace(auc=SimpleNamespace(value=auc)),
        )
        for auc in after
    ]
    records_one._coarser(cast(Any, SimpleNamespace(id="a")), changes, 5)


def drawn(*after: float) -> tuple[str, int]:
    """What is said, and how many charts there are."""
    screen: Any = AppTest.from_function(page, kwargs={"after": list(after)}, default_timeout=60).run()
    assert not screen.exception
    return "\n".join(str(text.value) for text in screen.markdown), len(screen.get("plotly_chart"))


def test_where_nothing_helps_there_is_a_sentence_and_no_empty_picture() -> None:
    text, charts = drawn(0.8, 0.8)
    assert charts == 0
    assert "leaves the best attack at 0.80" in text
    assert "Let more people share a value" in text
    assert drawn(0.7, 0.8)[1] == 1
    text, charts = drawn()
    assert charts == 0
    assert "None of these columns can be made coarser" in text
