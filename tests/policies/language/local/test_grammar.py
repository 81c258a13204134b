import json
import random
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.errors import CardError
from revops_ma.policies.language.local.automaton import DEAD, Automaton, Text
from revops_ma.policies.language.local.grammar import automaton_of

SEATS = [
    pytest.param(role, id=f"{world}-{role.name}")
    for world in catalog.worlds()
    for role in catalog.world(world).roles
]
TENTHS = {"type": "number", "minimum": 0.1, "maximum": 1.0}


def texts(automaton, count, seed=0):
    """Random texts that an automaton allows."""
    rng = random.Random(seed)
    for _ in range(count):
        text, state = "", 0
        while True:
            chars = [char for char in printable if automaton.step(state, char) != DEAD]
            if automaton.may_end(state) and (not chars or rng.random() < 0.3):
                break
            text += rng.choice(chars)
            state = automaton.step(state, text[-1])
        yield text


def accepts(schema, text):
    automaton = automaton_of(schema)
    state = automaton.read(text)
    return state != DEAD and automaton.may_end(state)


@pytest.mark.parametrize("role", SEATS)
def test_every_text_of_a_role_is_a_move_that_its_reader_takes(role):
    written = list(texts(automaton_of(role.schema), 200))
    reply = role.texts(written)
    assert not reply.refused
    assert not reply.notes


@pytest.mark.parametrize("role", SEATS)
def test_every_kind_of_move_can_be_written(role):
    automaton = automaton_of(role.schema)
    head = automaton.forced()
    assert head.startswith("{")
    for kind in role.kinds():
        assert automaton.read(f'{head}{kind}"') != DEAD


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        *((text, True) for text in ("0.1", "0.10", "0.55", "1", "1.0", "1.00", "0.99")),
        *((text, False) for text in ("0", "0.0", "0.09", "1.01", "2", "10", "01", ".5", "1.", "")),
        *((text, False) for text in ("0.555", "-0.5", "1e0", "+1", " 1", "½", "0,5", "--1")),
    ],
)
def test_a_number_keeps_its_bounds_and_one_form(text, fits):
    assert accepts(TENTHS, text) == fits


@given(st.integers(-2_000, 2_000), st.integers(0, 3_000), st.integers(-3_000, 5_500))
def test_a_whole_number_fits_exactly_within_its_bounds(low, width, number):
    schema = {"type": "integer", "minimum": low, "maximum": low + width}
    assert accepts(schema, str(number)) == (low <= number <= low + width)
    assert not accepts(schema, f"{number}.0")


@given(st.integers(-300, 300), st.integers(2, 300), st.integers(-700, 700))
def test_exclusive_bounds_are_out(low, width, number):
    schema = {
        "type": "number",
        "exclusiveMinimum": low / 100,
        "exclusiveMaximum": (low + width) / 100,
    }
    shown = f"{number / 100:.2f}"
    assert accepts(schema, shown) == (low < number < low + width and shown != "-0.00")


@given(st.integers(-500, 500), st.integers(0, 500), st.integers())
def test_every_way_into_a_number_leads_out_again(low, width, seed):
    schema = {"type": "number", "minimum": low / 100, "maximum": (low + width) / 100}
    for text in texts(automaton_of(schema), 3, seed):
        assert low <= round(float(text) * 100) <= low + width
        assert "." not in text or len(text.partition(".")[2]) <= 2


def test_strings_keep_their_length_and_need_no_escapes():
    schema = {"type": "string", "minLength": 2, "maxLength": 4}
    assert [accepts(schema, f'"{"a" * length}"') for length in range(6)] == [
        *(False, False, True, True, True, False),
    ]
    assert not accepts(schema, '"a\\n"')
    assert not accepts(schema, '"a"a"')
    assert accepts({"type": "string"}, '""')


def test_an_object_writes_what_it_must_and_what_is_closed():
    schema = {
        "type": "object",
        "title": "told only",
        "properties": {
            "flag": {"type": "boolean"},
            "kind": {"const": "a b"},
            "story": {"type": "string"},
            "delta": {"type": "number"},
            "inner": {"type": "object", "properties": {"none": {"type": "null"}}},
        },
        "required": ["kind", "inner"],
    }
    found = set(texts(automaton_of(schema), 30))
    assert found == {
        f'{{"flag": {flag}, "kind": "a b", "inner": {{}}}}' for flag in ("true", "false")
    }


def test_any_of_lets_the_beginnings_share_their_way():
    schema = {"anyOf": [{"enum": ["get", "getter", "list"]}, {"type": "null"}]}
    found = set(texts(automaton_of(schema), 60))
    assert found == {'"get"', '"getter"', '"list"', "null"}
    assert automaton_of(schema).forced() == ""


def test_the_forced_beginning_is_all_of_a_text_that_leaves_no_choice():
    assert Automaton((Text("only"),)).forced() == "only"
    assert automaton_of({"enum": ["left", "list"]}).forced() == '"l'


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "array", "items": {"type": "null"}}, "array with items"),
        ({"type": "number"}, "without both bounds"),
        ({"type": "integer", "minimum": 3}, "without both bounds"),
        ({"type": "number", "minimum": 1.0, "maximum": 0.5}, "from 1.0 to 0.5"),
        ({"type": "string", "pattern": "a+"}, "string with pattern"),
        ({"$ref": "#/x"}, "$ref"),
        ({}, "None"),
    ],
)
def test_what_cannot_be_written_is_said(schema, word):
    with pytest.raises(CardError, match="constrained = false") as caught:
        automaton_of({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    assert word in str(caught.value)


def test_an_automaton_is_made_once_for_a_schema():
    assert automaton_of(dict(TENTHS)) is automaton_of(json.loads(json.dumps(TENTHS)))
