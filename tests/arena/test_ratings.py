import math

import pytest

from revops_ma.arena.ratings import rate


def test_two_agents_differ_by_the_log_odds_of_their_games():
    ratings = rate({("p", "c"): (300, 400)})
    gap = ratings[0, "p"].rating - ratings[1, "c"].rating
    # Odds 3 to 1 are 400 * log10(3) Elo points; the prior pulls a little.
    assert gap == pytest.approx(400 * math.log10(3), rel=0.01)
    assert ratings[0, "p"].low < ratings[0, "p"].rating < ratings[0, "p"].high


def test_the_order_of_the_results_does_not_matter():
    results = {("a", "x"): (5, 10), ("b", "x"): (8, 10), ("a", "y"): (2, 10), ("b", "y"): (4, 10)}
    backwards = dict(reversed(results.items()))
    assert {k: v.rating for k, v in rate(results).items()} == pytest.approx(
        {k: v.rating for k, v in rate(backwards).items()}
    )


def test_who_always_wins_gets_a_finite_rating_above_all_others():
    ratings = rate({("god", "x"): (50, 50), ("man", "x"): (10, 50)})
    assert ratings[0, "god"].rating > ratings[1, "x"].rating > ratings[0, "man"].rating
    assert math.isfinite(ratings[0, "god"].high)


def test_more_games_give_narrower_intervals():
    def width(games):
        rating = rate({("p", "c"): (games // 2, games)})[0, "p"]
        return rating.high - rating.low

    assert width(1_000) < width(10) / 5


def test_a_name_on_both_sides_is_two_agents():
    ratings = rate({("random", "random"): (1, 10), ("best", "random"): (9, 10)})
    assert ratings[0, "random"].rating < ratings[1, "random"].rating


def test_no_completed_game_leaves_everybody_at_the_centre():
    ratings = rate({("p", "c"): (0, 0)})
    assert ratings[0, "p"].rating == pytest.approx(1_000.0)
