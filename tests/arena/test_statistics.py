import numpy as np
import pytest
from scipy import stats

from revops_ma.arena.statistics import difference, mean, means, share


@pytest.mark.parametrize(("wins", "trials"), [(0, 5), (1, 2), (480, 2000), (20, 20), (7, 9)])
def test_share_is_the_wilson_interval_of_scipy(wins, trials):
    expected = stats.binomtest(wins, trials).proportion_ci(method="wilson")
    estimate = share(wins, trials)
    assert estimate.mean == wins / trials
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), abs=1e-12)


def test_no_episode_gives_no_figure():
    assert share(0, 0).to_json() == {"mean": None, "low": None, "high": None}
    assert mean([]).mean is None


def test_mean_interval_agrees_with_scipys_bootstrap():
    sample = np.random.default_rng(3).exponential(size=300)
    expected = stats.bootstrap(
        (sample,), np.mean, method="percentile", n_resamples=2_000, rng=np.random.default_rng(0)
    ).confidence_interval
    estimate = mean(sample)
    assert estimate.mean == pytest.approx(sample.mean())
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected), rel=0.02)


def test_mean_interval_covers_the_truth_about_95_times_in_100():
    random = np.random.default_rng(11)
    covered = 0
    for _ in range(400):
        estimate = mean(random.normal(5.0, 2.0, 60))
        covered += estimate.low <= 5.0 <= estimate.high
    assert 0.90 <= covered / 400 <= 0.98


def test_several_columns_share_their_resamples():
    first = np.random.default_rng(5).normal(size=50)
    both = means({"a": first, "b": first + 2.0})
    assert both["a"].low == pytest.approx(mean(first).low)
    assert both["b"].low == pytest.approx(both["a"].low + 2.0)
    assert means({"a": [], "b": []})["b"].mean is None


def test_paired_difference_is_far_narrower_than_the_two_intervals():
    luck = np.random.default_rng(7).normal(0.0, 10.0, 400)
    ours, theirs = luck + 1.0, luck
    paired = difference(ours, theirs)
    assert (paired.low, paired.high) == pytest.approx((1.0, 1.0))
    assert mean(ours).low < mean(theirs).high


def test_the_same_sample_gives_the_same_interval():
    sample = [1.0, 2.0, 4.0, 8.0]
    assert mean(sample) == mean(sample)


def test_one_value_has_no_interval():
    assert mean([3.5]).to_json() == {"mean": 3.5, "low": None, "high": None}
