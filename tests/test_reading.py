"""Finding the one move in whatever a model answered: given cases first, then hostile ones."""

import json
import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revops_ma.game import Refused
from revops_ma.reading import MAX_DEPTH, MAX_TEXT, read_name, read_number, read_object, shown
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.crises import PASS, RULE_BASED

PILOT, CRISIS = WORLD.roles
HIRE = '{"action_type": "hire_support", "magnitude": 0.8}'
FIRE = '{"action_type": "fire_support", "magnitude": 0.2}'
FALLBACK = ("no decision", 0.0)


def read(text, role=PILOT):
    """(kind, strength, codes): a refusal's code is its reason."""
    reply = role.texts([text])
    refused = reply.refused.get(0)
    codes = (refused.reason,) if refused else reply.notes.get(0, ())
    kind = int(reply.batch[0][0])
    name = role.kinds()[kind] if kind >= 0 else {-1: "no decision", RULE_BASED: "rule-based"}[kind]
    return name, float(role.strength_of(reply.batch)[0]), codes


def pilot(magnitude):
    """A pilot's answer with this literally as its magnitude."""
    return f'{{"action_type": "hire_support", "magnitude": {magnitude}}}'


# A1 to A8 of the given cases: (text, action, magnitude, codes)
GIVEN = [
    # A1: fences, with or without language, closing and talk
    (f"```json\n{HIRE}\n```\nBecause support is weak.", "hire_support", 0.8, ("fenced",)),
    (f"```\n{HIRE}\n```", "hire_support", 0.8, ("fenced",)),
    (f"```{HIRE}```", "hire_support", 0.8, ("fenced",)),
    (f"```json {HIRE}", "hire_support", 0.8, ("fenced",)),
    (f"~~~json\n{HIRE}\n~~~", "hire_support", 0.8, ("fenced",)),
    (f"I choose:\n{HIRE}\nBecause…", "hire_support", 0.8, ("prose",)),
    (f"\n {HIRE}\n", "hire_support", 0.8, ()),
    # A2: names and numbers in other clothes
    (
        '{"action_type":"Hire Support ","magnitude":"0.8"}',
        "hire_support",
        0.8,
        ("normalised", "normalised"),
    ),
    ('{"action_type":"HIRE-SUPPORT","magnitude":0.8}', "hire_support", 0.8, ("normalised",)),
    ('{"action_type":"hire\u2011support","magnitude":0.8}', "hire_support", 0.8, ("normalised",)),
    (
        '{"action_type":"\uff48\uff49re_support","magnitude":0.8}',
        "hire_support",
        0.8,
        ("normalised",),
    ),
    # A3: percentages are read, numbers outside are clamped
    (pilot(80), "hire_support", 1.0, ("clamped",)),
    (pilot('"80%"'), "hire_support", 0.8, ("normalised",)),
    (pilot('"80 %"'), "hire_support", 0.8, ("normalised",)),
    (pilot('"250%"'), "hire_support", 1.0, ("normalised", "clamped")),
    (pilot(1.5), "hire_support", 1.0, ("clamped",)),
    (pilot(0), "hire_support", 0.1, ("clamped",)),
    (pilot(-0.3), "hire_support", 0.1, ("clamped",)),
    (pilot(1), "hire_support", 1.0, ()),
    (pilot(0.1), "hire_support", 0.1, ()),
    # A4: look-alikes are read, what is no number gets the default
    (pilot('"\u22120.3"'), "hire_support", 0.1, ("normalised", "clamped")),
    (pilot('"0,8"'), "hire_support", 0.8, ("normalised",)),
    (pilot('"\uff10\uff0e\uff18"'), "hire_support", 0.8, ("normalised",)),
    (pilot('"1_0"'), "hire_support", 0.5, ("bad_number",)),
    (pilot("true"), "hire_support", 0.5, ("bad_number",)),
    (pilot("[0.8]"), "hire_support", 0.5, ("bad_number",)),
    (pilot("null"), "hire_support", 0.5, ("bad_number",)),
    (pilot('{"a": 1}'), "hire_support", 0.5, ("bad_number",)),
    (pilot('"a lot"'), "hire_support", 0.5, ("bad_number",)),
    (pilot('""'), "hire_support", 0.5, ("bad_number",)),
    ('{"action_type": "hire_support"}', "hire_support", 0.5, ("no_magnitude",)),
    # A5: what is not finite is refused
    *((pilot(x), *FALLBACK, ("non_finite",)) for x in ("NaN", "Infinity", "-Infinity", "1e999")),
    *((pilot(f'"{x}"'), *FALLBACK, ("non_finite",)) for x in ("nan", "inf", "-Infinity", "1e999")),
    # A6: exactly one object, or none is played
    ("maybe {fire_support 0.2} but better {hire_support 0.8}", *FALLBACK, ("ambiguous",)),
    (f"{FIRE}\n{HIRE}", *FALLBACK, ("ambiguous",)),
    (f"[{FIRE}, {HIRE}]", *FALLBACK, ("ambiguous",)),
    # A7: thoughts are never executed
    (f"<think>{FIRE}</think>{HIRE}", "hire_support", 0.8, ("thought",)),
    (f"<think>{FIRE}{HIRE}", *FALLBACK, ("unclosed_thought",)),
    (f"{FIRE}</think>{HIRE}", "hire_support", 0.8, ("thought",)),
    (f"<think>a <think>{FIRE}</think> b</think>{HIRE}", "hire_support", 0.8, ("thought",)),
    (f"<think>a <think>b</think>{FIRE}", *FALLBACK, ("unclosed_thought",)),
    (f"<think>b</think>{FIRE}</think>{HIRE}", "hire_support", 0.8, ("thought",)),
    (
        f"<THINKING>{FIRE}</THINKING>\n```json\n{HIRE}\n```",
        "hire_support",
        0.8,
        ("thought", "fenced"),
    ),
    (f'<think effort="high">{FIRE}</think>{HIRE}', "hire_support", 0.8, ("thought",)),
    (f"<think>{FIRE}</think>", *FALLBACK, ("empty",)),
    (f"{FIRE}<think>no, rather</think>{HIRE}", *FALLBACK, ("ambiguous",)),
    # A8: cut off, empty
    ('{"action_type":"hire_supp', *FALLBACK, ("truncated",)),
    ('{"action_type":"hire_support","magnitude":0.8', *FALLBACK, ("truncated",)),
    ("", *FALLBACK, ("empty",)),
    (" \n\t", *FALLBACK, ("empty",)),
    ("I would rather not.", *FALLBACK, ("no_object",)),
    # and what stands around an object does no harm
    (f"\0{HIRE}\0", "hire_support", 0.8, ("prose",)),
    (pilot('"' + "\u0300\u0323" * 30_000 + '"'), "hire_support", 0.5, ("bad_number",)),
]


@pytest.mark.parametrize(("text", "action", "magnitude", "codes"), GIVEN)
def test_an_answer_is_read_as_the_given_cases_say(text, action, magnitude, codes):
    assert read(text) == (action, magnitude, codes)


HOSTILE = [
    ("a byte order mark", "\ufeff" + HIRE, "byte_order_mark"),
    ("a mark after a space", " \ufeff" + HIRE, "byte_order_mark"),
    ("a mark after a thought", "<think>x</think>\ufeff" + HIRE, "byte_order_mark"),
    ("an extra key", HIRE[:-1] + ', "reward": 1}', "extra_key"),
    ("duplicate keys", HIRE[:-1] + ', "magnitude": 0.1}', "duplicate_key"),
    ("nested duplicates", pilot('{"a": 1, "a": 2}'), "duplicate_key"),
    ("100,000 opening braces", "{" * 100_000, "too_long"),
    ("60,000 opening braces", "{" * 60_000, "too_deep"),
    ("60,000 opening brackets", "[" * 60_000, "no_object"),
    ("60,000 closing brackets", "]}" * 30_000, "no_object"),
    ("brackets as magnitude", pilot("[" * 20_000 + "]" * 20_000), "too_deep"),
    ("many empty objects", "{}" * 30_000, "ambiguous"),
    ("a 5,000-digit magnitude", pilot("9" * 5_000), "non_finite"),
    ("a 5,000-digit text", pilot(f'"{"9" * 5_000}"'), "non_finite"),
    ("a 1 MB text", "x" * 1_000_000, "too_long"),
    ("a 1 MB magnitude", pilot(f'"{"x" * 1_000_000}"'), "too_long"),
    ("an unclosed string", '{"action_type": "' + "x" * 60_000, "truncated"),
    ("60,000 quotes", "{" + '"' * 60_000 + "}", "bad_json"),
    ("backslashes", '{"' + "\\" * 60_000, "truncated"),
    ("many unclosed thoughts", "<think>" * 9_000, "unclosed_thought"),
    ("many half tags", "<think" * 10_000, "no_object"),
    ("single quotes", HIRE.replace('"', "'"), "bad_json"),
    ("a trailing comma", HIRE[:-1] + ",}", "bad_json"),
    ("a bare underscore number", pilot("1_0"), "bad_json"),
    ("mismatched brackets", '{"action_type": ["hire_support"}}', "bad_json"),
    ("an empty object", "{}", "missing_action"),
    ("another name", '{"action_type": "print_money"}', "unknown_action"),
    ("no name", '{"action_type": null}', "unknown_action"),
    ("a list of names", '{"action_type": ["hire_support"]}', "unknown_action"),
    ("many accents", '{"action_type": "' + "\u0300\u0323" * 30_000 + '"}', "unknown_action"),
    ("lone surrogates", '{"action_type": "\\ud800"}', "unknown_action"),
    ("two kinds of move", '{"kind": 3, "action_type": "hire_support"}', "missing_action"),
    ("a kind too many", '{"kind": 10, "magnitude": 0.5}', "unknown_action"),
    ("a kind of no number", '{"kind": true, "magnitude": 0.5}', "unknown_action"),
]


@pytest.mark.parametrize(
    ("text", "reason"), [case[1:] for case in HOSTILE], ids=[c[0] for c in HOSTILE]
)
def test_a_hostile_answer_is_one_refused_move_in_under_50_ms(text, reason):
    begun = time.perf_counter()
    found = read(text)
    assert time.perf_counter() - begun < 0.05
    assert found == (*FALLBACK, (reason,))


@pytest.mark.parametrize("text", [None, 7, b"{}", ["{}"], {"action_type": "hire_support"}])
def test_what_is_no_text_is_refused(text):
    assert read(text) == (*FALLBACK, ("not_text",))


@pytest.mark.parametrize(
    "grow", ["<think>", "<think ", '{"', "9", "{}", "```", "\\", " ", "\u0300"]
)
def test_reading_takes_linear_time(grow):
    def seconds(size):
        text = pilot(f'"{grow}') + grow * (size // len(grow))
        begun = time.process_time()
        for _ in range(5):
            read_object(text)
            read_number(text)
            read_name(text)
        return time.process_time() - begun

    seconds(1_000)
    # 64 times as long; a quadratic reader would need 4,096 times as much, minutes for some
    assert seconds(64_000) < max(0.5, 500 * seconds(1_000))


CRISES_READ = [
    ('{"crisis_type":"CASH_CRUNCH","severity":1.2}', "CASH_CRUNCH", 1.2, ()),
    (
        '{"crisis_type":"cash crunch","severity":"120%"}',
        "CASH_CRUNCH",
        1.2,
        ("normalised", "normalised"),
    ),
    ('{"crisis_type":"CASH_CRUNCH","severity":9}', "CASH_CRUNCH", 1.5, ("clamped",)),
    ('{"crisis_type":"CASH_CRUNCH","severity":0}', "no decision", 0.0, ()),
    ('{"crisis_type":"CASH_CRUNCH","severity":-1}', "no decision", 0.0, ("clamped",)),
    ('{"crisis_type":"PASS"}', "no decision", 0.0, ()),
    ('{"crisis_type":"pass","severity":1}', "no decision", 0.0, ()),
    # a severity that is no finite number is a pass, and refused
    ('{"crisis_type":"CASH_CRUNCH","severity":NaN}', "no decision", 0.0, ("non_finite",)),
    ('{"crisis_type":"CASH_CRUNCH","severity":1e999}', "no decision", 0.0, ("non_finite",)),
    # everything else that is refused falls back to the rule-based engine
    ('{"crisis_type":"CASH_CRUNCH","severity":true}', "rule-based", 1.0, ("bad_number",)),
    ('{"crisis_type":"METEOR","severity":1}', "rule-based", 1.0, ("unknown_crisis",)),
    ('{"crisis_type":"CASH_CRUNCH"}', "rule-based", 1.0, ("no_numbers",)),
    ('{"severity":1}', "rule-based", 1.0, ("missing_crisis",)),
    ('{"crisis_type":"CASH_CRUNCH","severity":1,"reward":9}', "rule-based", 1.0, ("extra_key",)),
    ("", "rule-based", 1.0, ("empty",)),
    ('{"crisis_type":"CASH_CRUNCH","runway_months":-1.5}', "CASH_CRUNCH", 0.5, ()),
    (
        '{"crisis_type":"CASH_CRUNCH","runway_months":-1.5,"description":"A bank run"}',
        "CASH_CRUNCH",
        0.5,
        (),
    ),
]


@pytest.mark.parametrize(("text", "crisis", "severity", "codes"), CRISES_READ)
def test_a_crisis_answer_is_read_or_falls_back(text, crisis, severity, codes):
    assert PASS == -1
    name, strength, found = read(text, CRISIS)
    assert (name, found) == (crisis, codes)
    assert strength == pytest.approx(severity)


@pytest.mark.parametrize(
    ("value", "number", "tidy"),
    [
        (3, 3.0, True),
        (0.25, 0.25, True),
        ("+0.5", 0.5, False),
        (".5", 0.5, False),
        ("5.", 5.0, False),
        ("1e-1", 0.1, False),
        ("-12,5 %", -0.125, False),
        ("\u0660\u066b\u0665", None, False),  # the Arabic decimal separator is no point
        ("0.8.1", None, False),
        ("1,000,000", None, False),
        ("0x10", None, False),
        ("% 80", None, False),
        (10**400, math.inf, True),
        (-(10**400), -math.inf, True),
        ((1,), None, True),
    ],
)
def test_numbers_are_read_as_models_write_them(value, number, tidy):
    assert read_number(value) == (number, tidy)


def test_names_fold_to_the_form_of_the_tables():
    assert read_name("  Raise - PRICES ") == "raise_prices"
    assert read_name(7) is None


def test_what_is_shown_of_an_input_is_short_and_printable():
    assert shown("x" * 1_000) == "x" * 80
    assert shown("\ud800") == "?"
    assert shown([[]]) == "list"
    assert shown(10**5_000) == "int"


def test_the_deepest_object_that_is_read_has_32_brackets():
    deepest = '{"a":' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}"
    assert isinstance(read_object(deepest), tuple)
    assert read_object('{"a":[' + deepest + "]}") == Refused(
        "too_deep", "more than 32 nested brackets"
    )


def test_the_longest_text_that_is_read_has_65536_characters():
    padding = " " * (MAX_TEXT - len(HIRE))
    assert read(HIRE + padding) == ("hire_support", 0.8, ())
    assert read(HIRE + padding + " ") == (*FALLBACK, ("too_long",))


RAW_SCRAPS = [
    *'{}[]",:<>`~\\ \n',
    "<think>",
    "</think>",
    "```json",
    '"action_type"',
    '"crisis_type"',
    "hire_support",
    "CHURN_SPIKE",
    "NaN",
    "1e999",
    "9" * 400,
    "\ufeff",
    "�",
    "\u2212",
    "%",
    HIRE,
    FIRE,
    HIRE[:20],
    '{"crisis_type": "PASS"}',
    '"magnitude": 0.8',
    '"severity": "nan"',
]
SCRAPS = st.sampled_from(RAW_SCRAPS)
TEXTS = st.one_of(st.lists(SCRAPS, max_size=25).map("".join), st.text(max_size=60))


@given(st.lists(TEXTS, min_size=20, max_size=20))
@settings(max_examples=100)
def test_2000_hostile_texts_give_one_move_each_and_never_raise(texts):
    for role in WORLD.roles:
        reply = role.texts(texts)
        assert len(reply.batch) == len(texts)
        for position in reply.refused:
            assert reply.batch[position].item() in (role.fallback, (PASS, 0.0, 0.0, 0))


def scraps_of(luck, size, scraps=RAW_SCRAPS):
    """A text made of what hostile answers are made of."""
    text = ""
    while len(text) < size:
        text += luck.choice(scraps) * luck.choice((1, 1, 1, 3, 20))
    return text[:size]


def test_100_000_hostile_texts_give_one_move_each_and_execute_no_thought():
    luck = random.Random(0)
    sizes = (0, 3, 20, 60, 200)
    texts = [scraps_of(luck, luck.choice(sizes)) for _ in range(50_000)]
    # Nobody but thoughts speaks of firing here, whatever stands around them.
    others = [scrap for scrap in RAW_SCRAPS if scrap != FIRE]
    texts += [
        scraps_of(luck, luck.choice(sizes), others)
        + f"<think>{FIRE}</think>"
        + scraps_of(luck, luck.choice(sizes), others)
        for _ in range(50_000)
    ]
    reply = PILOT.texts(texts)
    assert len(reply.batch) == len(texts)
    fired = np.flatnonzero(reply.batch["action"] == ACTIONS.index("fire_support"))
    assert len(fired) > 0
    assert fired.max() < 50_000


def test_reading_4_kb_takes_less_than_a_millisecond_at_the_99th_percentile():
    luck = random.Random(1)
    texts = [scraps_of(luck, 4_096) for _ in range(2_000)]
    seconds = []
    for text in texts:
        began = time.perf_counter()
        PILOT.texts([text])
        seconds.append(time.perf_counter() - began)
    assert sorted(seconds)[int(0.99 * len(seconds))] < 0.001


@given(st.sampled_from(ACTIONS), st.floats(0.1, 1.0), st.sampled_from(["{}", "```json\n{}\n```"]))
def test_every_proper_answer_is_read_exactly(action, magnitude, shape):
    text = shape.replace("{}", json.dumps({"action_type": action, "magnitude": magnitude}))
    assert read(text)[:2] == (action, magnitude)
