import pytest

from revops_ma.arena.statistics import NOTHING, Estimate
from revops_ma.report.units import MISSING, PLAIN, SHARE, Unit, count


@pytest.mark.parametrize(
    ("unit", "value", "exact", "short"),
    [
        (SHARE, 0.639, "63.9%", "63.9%"),
        (SHARE, -0.5, "-50.0%", "\N{MINUS SIGN}50%"),
        (Unit("$"), 235_618.8, "$235,619", "$235.6k"),
        (Unit("$"), -12.0, "-$12.00", "\N{MINUS SIGN}$12"),
        (PLAIN, 0.0, "0.00", "0"),
        (PLAIN, -0.001, "0.00", "\N{MINUS SIGN}0.001"),
        (PLAIN, 123.456, "123.5", "123.5"),
    ],
)
def test_numbers_are_exact_in_tables_and_short_on_axes(unit, value, exact, short):
    assert unit.exact(value) == exact
    assert unit.short(value) == short


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_what_is_no_number_is_a_dash(value):
    assert PLAIN.exact(value) == MISSING


def test_an_interval_stands_behind_its_figure():
    assert SHARE.interval(Estimate(0.5, 0.4, 0.6)) == "50.0% [40.0%, 60.0%]"
    assert SHARE.interval(NOTHING) == "no episode"


def test_nouns_are_counted():
    assert (count(1, "month"), count(2_000, "month")) == ("1 month", "2,000 months")
