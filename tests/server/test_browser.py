"""The page in a real headless Chromium: play, watch, fork, match; nothing leaves the host.

Screenshots are kept in artefacts/dashboard, to be looked at.
"""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.serve

SHOTS = Path(__file__).parents[2] / "artefacts" / "dashboard"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
]
SECONDS = 60_000
FIGURES = 8
"""Charts of the company: seven traced figures and LTV / CAC."""


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


class Visitor:
    """Somebody at the page; notes whatever a page should not do."""

    def __init__(self, browser, server, **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(SECONDS)
        self.host, self.faults = server.url, []
        self.page.on("console", lambda message: self._note(message.type, message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._requested)
        self.page.on("requestfailed", lambda request: self.faults.append(request.url))
        self.page.goto(f"{server.url}/judge")
        self.page.wait_for_selector("body[data-ready=yes]")

    def _note(self, kind, text):
        if kind in ("error", "warning"):
            self.faults.append(text)

    def _requested(self, request):
        if not request.url.startswith((self.host, "data:")):
            self.faults.append(f"left the host: {request.url}")

    def begin(self, **choices):
        for name, value in choices.items():
            field = self.page.locator(f"#{name}")
            field.fill(value) if name == "seed" else field.select_option(value)
        with self.page.expect_response("**/api/begin"):
            self.page.click("#begin")
        self.page.wait_for_selector("[data-chart='*moves']")

    def move(self, kind):
        self.page.check(f"input[name=kind][value={kind}]")
        with self.page.expect_response("**/api/move"):
            self.page.click("#send")
        self.page.wait_for_selector("#send:not(:disabled), #outcome:not(:empty)")

    def play_on(self):
        self.page.click("#auto")
        self.page.wait_for_selector("#outcome:not(:empty)")

    def points(self, chart):
        told = self.page.locator(f"[data-chart='{chart}'] canvas").get_attribute("aria-label")
        return int(told.split(": ")[1].split()[0])

    def shot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


@pytest.fixture
def visit(browser, server):
    visitors = []

    def go(**context):
        visitors.append(Visitor(browser, server, **context))
        return visitors[-1]

    yield go
    for each in visitors:
        each.context.close()
        assert each.faults == []


def test_an_episode_by_hand_and_to_the_end_by_an_agent(visit):
    at = visit(viewport={"width": 1360, "height": 1000}, color_scheme="light")
    at.begin(seed="7")
    assert at.page.locator("figure.chart").count() == FIGURES + 2
    assert at.page.locator("input[name=kind]").count() == 10
    assert at.points("mrr") == 1
    for kind in ("hire_support", "cut_costs", "negotiate_contracts"):
        at.move(kind)
    assert at.points("mrr") == at.points("churn") == 4
    assert at.points("*rewards") == 3
    assert at.page.locator("#log tbody tr").count() == 4
    assert "CASH_CRUNCH 1.00 by rule-based" in at.page.inner_text("#crisis")
    at.shot("company-by-hand-light")
    at.play_on()
    steps = int(at.page.locator("#step").get_attribute("max"))
    assert at.points("mrr") == at.points("ltv_cac_ratio") == steps + 1
    assert at.points("*rewards") == steps
    assert at.points("*moves") == at.page.locator("#log tbody tr").count()
    assert "after" in at.page.inner_text("#outcome")
    at.shot("company-end-light")


def test_somebody_new_can_watch_an_episode_at_once(visit):
    at = visit(viewport={"width": 1360, "height": 900})
    at.shot("welcome")
    at.page.click("#demo")
    at.page.wait_for_selector("#outcome:not(:empty)")
    assert not at.page.is_visible("#welcome")
    assert "pilot (heuristic)" in at.page.inner_text("#log")


def test_a_fork_goes_back_and_keeps_the_old_line_in_sight(visit):
    at = visit(viewport={"width": 1360, "height": 1000}, color_scheme="dark")
    at.begin(seed="7")
    at.page.select_option("#pace", "0")
    at.play_on()
    at.page.fill("#step", "10")
    assert at.points("mrr") == 11
    with at.page.expect_response("**/api/fork"):
        at.page.click("#fork")
    at.page.wait_for_selector("#fork-note:has-text('same luck')")
    assert at.points("mrr") == 11
    assert at.page.inner_text("#outcome") == ""
    at.move("raise_prices")
    at.play_on()
    at.shot("company-fork-dark")


def test_words_of_a_crisis_stay_words(visit):
    at = visit()
    words = "<img src=x onerror=alert(1)>"

    def rename(route):
        story = route.fetch().json()
        for turn in story["turns"]:
            turn["text"] = words
        route.fulfill(json=story)

    at.page.route("**/api/move", rename)
    at.begin(seat="crisis", seed="3")
    at.page.check("input[value=PRICE_WAR]")
    at.page.fill("#field-description", words)
    with at.page.expect_response("**/api/move"):
        at.page.click("#send")
    at.page.wait_for_selector("#crisis:has-text('onerror')")
    assert words in at.page.inner_text("#crisis")
    assert words in at.page.inner_text("#log")
    assert at.page.locator("#board img").count() == 0
    at.shot("crisis-seat-words")


def test_the_desk_has_its_ticket_budget_and_tool_log(visit):
    at = visit(viewport={"width": 1360, "height": 1000}, color_scheme="dark")
    at.begin(world="finops", scenario="finops/task1")
    assert "TechCorp" in at.page.inner_text("#ticket")
    at.page.check("input[value=search_customers]")
    at.page.fill("#field-name", "TechCorp")
    with at.page.expect_response("**/api/move"):
        at.page.click("#send")
    at.page.wait_for_selector("#log tbody tr")
    assert "cus_001" in at.page.inner_text("#log")
    assert "1 of 10 steps used" in at.page.inner_text("#budget-text")
    assert at.page.locator("[data-chart='score']").count() == 0
    at.play_on()
    assert "Won" in at.page.inner_text("#outcome")
    assert at.points("score") > 2
    at.shot("desk-dark")


def test_a_match_and_a_stored_run(visit):
    at = visit(viewport={"width": 1360, "height": 900})
    at.page.click("#tab-match")
    at.page.fill("#m-episodes", "40")
    for pilot in ("random", "heuristic"):
        at.page.locator("#m-players select").first.select_option(pilot)
        with at.page.expect_response("**/api/match"):
            at.page.click("#m-play")
        at.page.wait_for_selector(f"#scoreboard th:has-text('{pilot} against')")
    assert at.page.locator("#scoreboard tbody tr").count() == 2
    assert at.page.locator("#scoreboard svg.interval").count() == 8
    at.shot("match")
    at.page.click("#tab-runs")
    at.page.click("#open-run")
    at.page.wait_for_selector("#run-episodes tbody tr")
    assert at.page.locator("#run-episodes tbody tr").count() == 6
    at.shot("runs")
    at.page.locator("#run-episodes button").nth(1).click()
    at.page.wait_for_selector("#step:not(:disabled)")
    at.page.fill("#step", "5")
    assert at.points("mrr") == 6
    assert "stored in first" in at.page.inner_text("#subtitle")
    with at.page.expect_response("**/api/fork"):
        at.page.click("#fork")
    at.page.wait_for_selector("#send")
    at.move("cut_costs")
    assert at.points("mrr") == 7


def test_matches_of_both_worlds_stand_in_one_scoreboard(visit):
    at = visit(viewport={"width": 1360, "height": 900})
    at.page.click("#tab-match")
    for world, scenario in (("revops", "revops/easy"), ("finops", "finops/task1")):
        at.page.select_option("#m-world", world)
        at.page.select_option("#m-scenario", scenario)
        at.page.locator("#m-players select").first.select_option("random")
        at.page.fill("#m-episodes", "5")
        with at.page.expect_response("**/api/match"):
            at.page.click("#m-play")
        at.page.wait_for_selector(f"#scoreboard td:has-text('{scenario}')")
    cells = [row.locator("th, td").count() for row in at.page.locator("#scoreboard tr").all()]
    assert len(set(cells)) == 1
    assert "Score" in at.page.inner_text("#scoreboard thead")
    at.shot("match-of-both-worlds")


def test_a_stored_episode_does_not_lose_ones_own_game(visit):
    at = visit()
    at.begin(seed="7")
    at.move("cut_costs")
    at.page.click("#tab-runs")
    at.page.click("#open-run")
    at.page.locator("#run-episodes button").first.click()
    at.page.wait_for_selector("#back:visible")
    with at.page.expect_response("**/api/story"):
        at.page.click("#back")
    at.page.wait_for_selector("#send:not(:disabled)")
    assert at.points("mrr") == 2
    assert not at.page.is_visible("#back")


def test_it_is_played_with_the_keyboard_alone(visit):
    at = visit()
    press = at.page.keyboard.press
    at.page.focus("#tab-play")
    press("ArrowRight")
    assert at.page.locator("#tab-match").get_attribute("aria-selected") == "true"
    press("ArrowLeft")
    at.page.focus("#begin")
    with at.page.expect_response("**/api/begin"):
        press("Enter")
    at.page.wait_for_selector("[data-chart='*moves']")
    at.page.focus("#kind-0")
    press("Space")
    press("ArrowDown")
    press("Tab")
    press("ArrowRight")
    press("Tab")
    with at.page.expect_response("**/api/move") as found:
        press("Enter")
    sent = json.loads(found.value.request.post_data)["action"]
    assert sent == {"action_type": "decrease_marketing", "magnitude": 0.85}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_both_themes(visit, scheme):
    at = visit(viewport={"width": 390, "height": 844}, color_scheme=scheme, device_scale_factor=2)
    at.begin(seed="4")
    at.move("hire_support")
    for tab in ("play", "match", "runs"):
        at.page.click(f"#tab-{tab}")
        wide, shown = at.page.evaluate(
            "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide <= shown, tab
    at.page.click("#tab-play")
    at.shot(f"phone-{scheme}")


def test_nothing_jumps(visit):
    at = visit(viewport={"width": 1360, "height": 1000})
    jumped = """() => new Promise((done) => {
        let total = 0;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) total += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(total), 300);
    })"""
    assert at.page.evaluate(jumped) < 0.02
    at.begin(seed="7")
    at.page.select_option("#pace", "150")
    at.play_on()
    assert at.page.evaluate(jumped) < 0.05


def test_visitors_do_not_share_a_game_and_a_reload_keeps_ones_own(visit):
    mine, theirs = visit(), visit()
    mine.begin(seed="7")
    theirs.begin(seed="8")
    mine.move("cut_costs")
    assert theirs.points("mrr") == 1
    mine.page.reload()
    mine.page.wait_for_selector("body[data-ready=yes]")
    assert "seed 7" in mine.page.inner_text("#subtitle")
    assert mine.points("mrr") == 2


def test_a_token_is_asked_for_once(visit, browser, start):
    server = start(REVOPS_MA_TOKEN="let-me-in")
    at = Visitor.__new__(Visitor)
    context = browser.new_context()
    at.page = context.new_page()
    at.page.set_default_timeout(SECONDS)
    at.page.goto(f"{server.url}/")
    at.page.fill("#token", "let-me-out")
    at.page.keyboard.press("Enter")
    at.page.wait_for_selector("#token-note:has-text('not the token')")
    at.page.fill("#token", "let-me-in")
    at.page.keyboard.press("Enter")
    at.page.wait_for_selector("body[data-ready=yes]")
    at.begin(seed="7")
    assert at.points("mrr") == 1
    context.close()
