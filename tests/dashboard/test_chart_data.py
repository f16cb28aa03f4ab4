"""The numbers of a figure as rows: what the marks show, under what the axes say, and nothing else."""

import csv
import io
import json

import numpy as np
from streamlit.testing.v1 import AppTest

from riskkit.core import Column, Estimate, Kind
from riskkit.dashboard.frame import chart_tools
from riskkit.figures import blocks, canvas, chart_data, data_charts
from riskkit.figures.chart_data import HIGH, LOW, ROW, SERIES, VALUE
from riskkit.questions.membership.people import OutlierMap
from riskkit.show.model import Bar, Chart
from tests.dashboard.test_data_charts import table
from tests.pages.screens import LIMIT


def estimate(value: float, low: float, high: float, name: str = "accuracy") -> Estimate:
    return Estimate(name, value, low, high, 0.95, "test", 40)


def test_a_mark_is_a_row_with_its_interval_and_what_hovering_says() -> None:
    bars = (Bar("nearest row", estimate(0.75, 0.5, 0.875)),)
    assert chart_data.rows(blocks.figure(Chart("A sentence", "Share of releases", bars, 0.5))) == [
        {"What": "nearest row", "N": 40, "Share of releases": 0.75, LOW: 0.5, HIGH: 0.875}
    ]


def test_every_bar_of_a_finding_is_a_row() -> None:
    bars = (Bar("attack <b>&</b> co", estimate(0.75, 0.5, 1.0)), Bar("best guess", estimate(0.5, 0.5, 0.5), "baseline"))
    lines = chart_data.rows(blocks.figure(Chart("told", "share", bars, 0.5, (0.0, 1.0))))
    assert [(line["What"], line["share"], line[LOW], line[HIGH]) for line in lines] == [
        ("attack <b>&</b> co", 0.75, 0.5, 1),
        ("best guess", 0.5, 0.5, 0.5),
    ]


def test_a_cell_of_a_heatmap_is_a_row_under_the_names_of_its_axes() -> None:
    figure = canvas.empty("told", 300)
    figure.add_heatmap(x=[0, 1], y=[0, 1], z=[[0.5, np.nan], [1.0, 0.25]])
    figure.update_xaxes(title="known", tickvals=[0, 1], ticktext=["age", "sex<br>and job"])
    figure.update_yaxes(title="secret", tickvals=[0, 1], ticktext=["▲ income", "debt"])
    assert chart_data.rows(figure) == [
        {"secret": "▲ income", "known": "age", VALUE: 0.5},
        {"secret": "▲ income", "known": "sex and job", VALUE: ""},
        {"secret": "debt", "known": "age", VALUE: 1},
        {"secret": "debt", "known": "sex and job", VALUE: 0.25},
    ]


def test_guides_are_no_rows_and_a_band_has_two_ends() -> None:
    figure = canvas.empty("told", 300)
    figure.update_xaxes(title="rank")
    figure.add_scatter(x=[1, 2], y=[0.9, 0.8], hoverinfo="skip")
    figure.add_scatter(x=[1, 2], y=[0.5, 0.4], hoverinfo="skip", fill="tonexty", name="interval")
    figure.add_scatter(x=[0, 1], y=[0, 1], hoverinfo="skip", name="chance")
    assert chart_data.rows(figure) == [
        {SERIES: "interval", "rank": 1, LOW: 0.5, HIGH: 0.9},
        {SERIES: "interval", "rank": 2, LOW: 0.4, HIGH: 0.8},
    ]


def test_two_axes_with_intervals_have_their_own_ends() -> None:
    figure = canvas.empty("told", 300)
    ends = {"type": "data", "array": [0.25]}
    figure.add_scatter(x=[1.0], y=[0.5], error_x=ends, error_y=ends)
    figure.update_xaxes(title="kept").update_yaxes(title="recovered")
    (line,) = chart_data.rows(figure)
    assert line[f"{LOW}: kept"] == 0.75
    assert line[f"{HIGH}: recovered"] == 0.75


def test_row_numbers_make_a_picture_restricted() -> None:
    outliers = OutlierMap(*(np.array(part) for part in ([7], [2.5], [0.0], [0.0])), total=1, median=1.0)
    lines = chart_data.rows(canvas.outliers(outliers, []))
    assert lines[0][ROW] == 7
    assert chart_data.is_restricted(lines)
    bars = (Bar("a", estimate(0.5, 0.4, 0.6)),)
    assert not chart_data.is_restricted(chart_data.rows(blocks.figure(Chart("A sentence", "AUC", bars, 0.5))))


def test_a_column_of_the_data_page_gives_its_bars_by_name() -> None:
    column = Column("ward", Kind.CATEGORICAL, levels=("a", "<b>x</b>"))
    shares = data_charts.shares("ward", table(column, [0, 0, 0, 1]), table(column, [0, 1, 1, 0]))
    lines = chart_data.rows(data_charts.figure(shares))
    assert [(line["ward"], line["share of rows"]) for line in lines] == [
        ("a", 0.75),
        ("<b>x</b>", 0.25),
        ("a", 0.5),
        ("<b>x</b>", 0.5),
    ]


def test_the_file_has_nothing_that_a_spreadsheet_takes_for_a_formula() -> None:
    lines: list[chart_data.Row] = [{"=who": "=1+1", "value": -0.5}, {"=who": "two\tparts", "value": 2}]
    text = chart_data.as_csv(lines).decode()
    assert text.startswith("\ufeff")
    assert list(csv.reader(io.StringIO(text[1:]))) == [["'=who", "value"], ["'=1+1", "-0.5"], ["two parts", "2"]]
    assert chart_data.as_text(lines, most=1) == "'=who\tvalue\r\n'=1+1\t-0.5\r\n"


def test_the_name_of_a_file_is_made_of_letters_and_digits() -> None:
    assert chart_tools.name_of(f"records.{'0f' * 16}.By-hand.0") == "riskkit_records_by_hand_0"


def drawn() -> None:
    """One chart, as every page draws it."""
    from riskkit.core import Estimate
    from riskkit.dashboard.frame import chart_tools
    from riskkit.figures import blocks
    from riskkit.show.model import Bar, Chart

    bars = (Bar("nearest", Estimate("accuracy", 0.75, 0.5, 0.875, 0.95, "test", 40)),)
    chart_tools.show(blocks.figure(Chart("A sentence", "share", bars, 0.5)), "some.chart")


def test_the_control_is_closed_and_opens_with_image_numbers_and_copy() -> None:
    screen = AppTest.from_function(drawn, default_timeout=LIMIT).run()
    assert not screen.get("download_button")
    screen.button(key="some.chart.tools").click().run()
    assert [button.proto.label for button in screen.get("download_button")] == ["Numbers as CSV, 1 line"]
    assert "nearest\t40\t0.75\t0.5\t0.875" in screen.code[0].value
    screen.button_group(key="some.chart.format").set_value("svg").run()
    screen.button(key="some.chart.tools").click().run()
    assert not screen.get("download_button")
    chart = json.loads(screen.get("plotly_chart")[0].proto.config)
    assert chart["toImageButtonOptions"] == {"format": "svg", "filename": "riskkit_some_chart", "scale": 1}
