import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.report.charts.bars import Bar, Point, bars, intervals
from revops_ma.report.charts.frame import fit, series_class, width_of
from revops_ma.report.charts.heatmap import Cell, heatmap, shade, wrap
from revops_ma.report.charts.lines import Line, LineChart, line_chart, points
from revops_ma.report.charts.ridges import Ridge, bin_edges, ridges
from revops_ma.report.charts.roll import LARGEST, SMALLEST, Lane, Note, radius, roll
from revops_ma.report.charts.scale import Scale, domain, ticks
from revops_ma.report.charts.stacks import Columns, Shares, columns, shares, stack
from revops_ma.report.units import PLAIN

numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def no_bad_number(svg):
    return not any(word in svg for word in ("nan", "inf", "None"))


def test_a_scale_goes_from_end_to_end():
    scale = Scale(0, 10, 40, 330)
    assert (scale(0), scale(5), scale(10)) == (40, 185, 330)
    assert Scale(3, 3, 0, 10)(3) == 5


@given(numbers, numbers)
def test_ticks_are_evenly_spaced_inside_the_domain(one, other):
    low, high = sorted((one, other))
    found = ticks(low, high, 4)
    slack = (high - low) * 1e-6
    assert all(low - slack <= tick <= high + slack for tick in found)
    assert len(found) <= 9
    gaps = np.diff(found)
    assert np.allclose(gaps, gaps[:1], rtol=1e-3) if len(gaps) else True


@given(st.lists(numbers, min_size=1, max_size=20), st.booleans())
def test_a_domain_holds_all_values_and_has_a_width(values, zero):
    low, high = domain(values, zero=zero)
    slack = (high - low) * 1e-6
    assert low - slack <= min(values)
    assert max(values) <= high + slack
    assert low < high
    assert not zero or low <= 0 <= high


def test_a_domain_of_nothing_is_a_domain():
    assert domain([]) == (0.0, 1.0)
    assert domain([math.nan, 2.0, math.inf])[0] < 2.0


def test_whole_ticks_of_a_short_episode_are_whole():
    assert ticks(0, 3, 6, whole=True) == [0, 1, 2, 3]


@given(st.lists(numbers, max_size=8))
def test_stacked_parts_sum_to_the_positive_and_the_negative_whole(values):
    ends = stack(values)
    assert all(
        high - low == pytest.approx(abs(v)) for (low, high), v in zip(ends, values, strict=True)
    )
    top = max((high for _, high in ends), default=0.0)
    bottom = min((low for low, _ in ends), default=0.0)
    assert top + bottom == pytest.approx(sum(values), abs=1e-3)
    assert all(low >= 0 or high <= 0 for low, high in ends)


def test_a_line_breaks_where_there_is_no_value():
    x, y = Scale(0, 4, 0, 4), Scale(0, 1, 0, 1)
    assert points([0, 1, math.nan, 1], x, y) == [[(0, 0), (1, 1)], [(3, 1)]]


def test_stairs_hold_a_value_until_the_next():
    x, y = Scale(0, 2, 0, 2), Scale(0, 1, 0, 1)
    assert points([1, 0.5], x, y, stairs=True) == [[(0, 1), (1, 1), (1, 0.5)]]


def chart(**changes):
    shared = {"label": "x", "x_name": "month", "x_high": 30, "y": (0.0, 1.0)}
    return LineChart(**{**shared, "show": PLAIN.short, "tell": PLAIN.full, **changes})


@pytest.mark.parametrize("values", [[], [0.5], [1.0, 1.0], [math.nan, math.nan], [0.0] * 500])
def test_any_line_can_be_drawn(values):
    drawn = line_chart(chart(x_high=len(values)), [Line("a", values)])
    assert no_bad_number(drawn)
    assert drawn.count('class="hit"') <= 60


def test_a_strike_is_marked_and_told():
    drawn = line_chart(
        chart(marks={3: "PRICE_WAR 1.00"}, limits=[0.5, 9.0]), [Line("a", [0, 1, 0, 1])]
    )
    assert drawn.count('class="strike"') == 1
    assert "step 3: PRICE_WAR 1.00" in drawn
    assert drawn.count('class="limit"') == 1


def test_an_interval_is_shaded_behind_its_line():
    drawn = line_chart(chart(), [Line("a", [1, 0.5], band=([0.9, 0.4], [1, 0.6]))])
    assert drawn.index('class="band"') < drawn.index('class="line"')


def test_columns_show_every_part_once_and_the_sum():
    drawn = columns(Columns("x", ["good", "bad"], [[1, -2], [0, 0], [1, 1]], "month", 3, str))
    assert drawn.count('class="fill') == 4
    assert drawn.count('class="total"') == 3
    assert "step 1: -1" in drawn


def test_columns_of_an_empty_episode_are_an_empty_chart():
    assert no_bad_number(columns(Columns("x", ["good"], [], "month", 0, str)))


@pytest.mark.parametrize("counts", [[10, 0], [0, 10], [0, 0], [1, 999]])
def test_shares_of_all_won_all_lost_and_none_are_drawn(counts):
    parts = [("won", "s1"), ("lost", "s2")]
    drawn = shares("x", parts, [Shares("a", counts), Shares("b", counts)])
    assert no_bad_number(drawn)
    assert drawn.count("part") == 2 * sum(map(bool, counts))


def test_bars_and_intervals_tell_their_values():
    assert "0.5" in bars("x", [Bar("a", 0.5, "0.5", "a: 0.5"), Bar("b", 0.0, "0", "b: 0")])
    drawn = intervals("x", [Point("a", 1, 0, 2, "a: 1 [0, 2]")], (0, 2), "rating")
    assert drawn.count('class="whisker"') == 1
    assert no_bad_number(bars("x", []))


@pytest.mark.parametrize(
    ("value", "bound", "kind"),
    [
        (None, 1, "none"),
        (0, 1, "p0"),
        (1, 1, "p10"),
        (-5, 5, "n10"),
        (-0.01, 1, "p0"),
        (0, 0, "p0"),
    ],
)
def test_shades_go_both_ways_from_zero(value, bound, kind):
    assert shade(value, bound) == kind


def test_a_heat_map_has_a_cell_for_every_pair():
    cells = {(p, c): Cell(0.5, "50%", f"{p} vs {c}") for p in "abc" for c in "xy"}
    drawn = heatmap("payoff", ("abc", "xy"), cells, 1.0)
    assert drawn.count('class="cell') == 6
    assert "<title>c vs y</title>" in drawn


def test_long_names_break_at_hyphens_and_are_cut():
    assert wrap("rule-based", 8) == ["rule-", "based"]
    assert len(wrap("a-very-long-name-of-a-model-that-nobody-can-read", 8)) <= 4
    assert fit("W" * 50, 60).endswith("…")
    assert width_of(fit("W" * 50, 60)) <= 60 + 6.2


@pytest.mark.parametrize("values", [[], [3.0], [2.0] * 50, [-1e-9, 0.0], list(range(1_000))])
def test_a_histogram_counts_every_value_once(values):
    edges = bin_edges(np.array(values, np.float64))
    assert np.histogram(values, edges)[0].sum() == len(values)
    assert 2 <= len(edges) <= 60
    won = np.array(values, np.float64)
    assert no_bad_number(ridges("x", [Ridge("a", [won, won[:0]])], edges, "return", str))


def test_a_roll_has_a_mark_per_move():
    lanes = [
        Lane("pilot", ["hire"], [Note(1, 0, 1.0, "hire 1"), Note(2, 0, 0.1, "hire 0.1")]),
        Lane("crisis", ["war"], [Note(2, 0, 1.5, "<b>war</b>")]),
    ]
    drawn = roll("moves", lanes, "month", 30, "month")
    assert drawn.count('class="dot"') == 3
    assert "month 2: &lt;b&gt;war&lt;/b&gt;" in drawn


def test_the_strongest_move_is_the_largest():
    assert radius(2, 2) == LARGEST
    assert radius(0, 0) == radius(0, 2) == SMALLEST


def test_the_ninth_colour_is_the_first_one_dashed():
    assert (series_class(0), series_class(8)) == ("s1", "s1 again")


def test_a_sum_that_misses_an_outer_edge_by_a_rounding_error_is_still_drawn():
    values = np.array([-0.16000000000000003, -0.01, 0.06000000000000001])
    edges = bin_edges(values)
    assert edges[0] > values[0]
    drawn = ridges("Returns", [Ridge("a", [values])], edges, "return", str)
    assert drawn.count('class="fill') == 3
