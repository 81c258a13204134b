"""A company of the user's own: what is derived, what is refused, what is told."""

import re

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.adapters.vector import SeatVectorEnv
from revops_ma.errors import CardError
from revops_ma.table import Table, play
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.own import OwnCompany
from revops_ma.worlds.revops.world import Settings
from tests.worlds.revops.helpers import players

FIGURES = {
    "mrr": 50_000.0,
    "cac": 1_500.0,
    "ltv": 9_500.0,
    "churn": 0.04,
    "runway": 12.0,
    "marketing": 17_000.0,
    "support": 0.7,
}


def own(**changes):
    """Some figures changed; those set to None left out."""
    merged = {**FIGURES, **changes}
    return OwnCompany(**{name: value for name, value in merged.items() if value is not None})


def card(tmp_path, rules="", name="mine", **changes):
    figures = {**FIGURES, **changes}
    lines = [f"{key} = {value}" for key, value in figures.items() if value is not None]
    path = tmp_path / f"{name}.toml"
    path.write_text(
        'world = "revops"\ntitle = "Mine"\nabout = "A company of my own."\n'
        f"[rules]\n{rules}\n[rules.company]\n" + "\n".join(lines)
    )
    return path


def test_every_seed_starts_from_the_given_figures():
    dealt = WORLD.deal(Settings(company=own()), range(50))
    for name, value in FIGURES.items():
        assert (dealt[name] == value).all()
    assert (dealt["previous_mrr"] == 50_000.0).all()
    assert len(set(dealt["key"].tolist())) == 50


def test_hidden_figures_follow_from_the_given_ones():
    dealt = WORLD.deal(Settings(company=own()), [7])
    assert dealt["arpa"][0] == pytest.approx(9_500 * 0.04 / 0.8)
    assert dealt["k_cac"][0] == 1_500.0
    assert dealt["k_churn"][0] == pytest.approx(0.04 - 0.18 * 0.3**2)
    assert dealt["k_fix"][0] == pytest.approx(0.185 * 50_000)
    assert dealt["churn_factor"][0] == 1.0
    given = own(fixed_cost=12_345.0, slack=0.25)
    dealt = WORLD.deal(Settings(company=given), [7])
    assert (dealt["k_fix"][0], dealt["slack"][0]) == (12_345.0, 0.25)


def test_arpa_may_be_given_in_the_place_of_ltv():
    company = own(ltv=None, arpa=475.0)
    assert company.full_ltv == pytest.approx(9_500.0)
    assert own(ltv=None, arpa=475.0, margin=0.6).full_ltv == pytest.approx(475 * 0.6 / 0.04)


def test_high_prices_explain_a_part_of_churn():
    company = own(ltv=None, arpa=950.0, support=0.9, churn=0.06)
    assert company.structural_churn == pytest.approx(0.06 - 0.18 * 0.01 - 0.03)


def test_such_a_company_is_at_rest_in_churn():
    company = own()
    dealt = WORLD.deal(Settings(company=company), range(500))
    level = dealt["churn_factor"] * (dealt["k_churn"] + 0.18 * (1 - dealt["support"]) ** 2)
    assert level == pytest.approx(np.full(500, 0.04))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mrr": 19_999.0}, "mrr 19,999 is under the floor of 20,000: this company is lost"),
        ({"mrr": 600_000.0}, "mrr 600,000 is outside this world: allowed 20,000 to 500,000"),
        ({"churn": 0.21}, "churn 0.21 is over the limit of 0.2: this company is lost"),
        ({"churn": 3.2}, "3.2 % a month is 0.032"),
        ({"runway": 0.0}, "runway 0 leaves no cash"),
        ({"runway": 60.0}, "runway 60 is outside this world: allowed 0 to 36"),
        ({"cac": 20.0}, "cac 20 is outside this world: allowed 300 to 6,000"),
        ({"support": 74.0}, "support 74 is outside this world: allowed 0 to 1"),
        ({"marketing": 40_000.0}, "the board's cap: 33,000"),
        ({"marketing": 0.0}, "marketing 0 is not allowed: at least 1,000"),
        ({"ltv": None}, "give ltv or arpa"),
        ({"arpa": 800.0}, "does not fit arpa .* = 16,000; leave one of ltv and arpa out"),
        ({"ltv": 90_000.0}, "ltv 90,000 is outside this world"),
        ({"ltv": 1_000.0}, r"arpa 50 \(ltv \* churn / margin\) is outside this world"),
        (
            {"support": 0.3},
            r"churn 0.04 is less than support 0.3 .* cause by themselves \(0.0882\)",
        ),
        ({"margin": 0.0}, "margin: Input should be greater than 0"),
        ({"slack": 2.0}, "slack: Input should be less than or equal to 1"),
        ({"mrr": "nan"}, "mrr: Input should be a finite number"),
        ({"mrr": '"fifty"'}, "mrr: Input should be a valid number"),
        ({"mrr": None}, "mrr: Field required"),
        ({"headcount": 12}, "headcount: Extra inputs are not permitted"),
    ],
)
def test_what_does_not_add_up_is_one_clear_line(tmp_path, changes, words):
    with pytest.raises(CardError, match=words) as told:
        catalog.scenario(card(tmp_path, **changes))
    assert "\n" not in str(told.value)
    assert "Value error" not in str(told.value)
    assert len(str(told.value)) < 220


def test_a_difficulty_beside_a_company_is_refused(tmp_path):
    with pytest.raises(CardError, match="difficulty 'hard' changes dealt companies; leave it out"):
        catalog.scenario(card(tmp_path, 'difficulty = "hard"'))


def test_rounded_figures_fit():
    assert own(arpa=480.0).full_ltv == 9_500.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"margin": 0.6, "ltv": 6_000.0}, r"LTV goes from \$6,000 to \$8,000"),
        ({"marketing": 9_000.0}, r"CAC goes from \$1,500 towards \$"),
        ({"fixed_cost": 60_000.0}, "12 months of runway shrink by"),
        ({"marketing": 5_000.0}, "burns no cash"),
    ],
)
def test_what_the_market_will_move_is_told(changes, words):
    told = " ".join(own(**changes).remarks())
    assert re.search(words, told)


def test_a_company_at_rest_needs_no_remark():
    assert own(fixed_cost=8_000.0).remarks() == []
    scene = catalog.scenario("revops/normal")
    assert list(WORLD.remarks(scene.settings)) == []


def test_the_numbers_are_part_of_the_identity_and_old_identities_stay(tmp_path):
    first = catalog.scenario(card(tmp_path))
    other = catalog.scenario(card(tmp_path, name="other", mrr=50_001.0))
    assert first.identity != other.identity
    normal = catalog.scenario("revops/normal").identity
    assert normal == 'revops v1 {"difficulty":"normal","crisis_every":3}'


def test_games_that_end_go_on_with_the_same_company(tmp_path):
    scene = catalog.scenario(card(tmp_path))
    env = SeatVectorEnv(4, scene, "pilot", crisis="rule-based")
    env.reset(seed=1)
    done = 0
    for _ in range(40):
        _, _, ended, *_ = env.step(env.action_space.sample())
        done += ended.sum()
    assert done > 0
    assert (env.seat.table.games["k_cac"] == 1_500.0).all()


def test_the_shipped_example_is_played_to_the_end_by_all_sides():
    scene = catalog.scenario("revops/example-company")
    table = Table(scene.world, scene.settings, range(20))
    play(table, players("heuristic", "rule-based", scene))
    assert table.is_over
    assert len(set(table.returns[:, 0].tolist())) == 20
