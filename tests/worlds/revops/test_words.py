"""The adversary's words come out harmless, whatever goes in."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.worlds.revops.words import LONGEST, clean


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The bank calls.", "The bank calls."),
        ("  two\n\tlines\r\n ", "two lines"),
        ('{"action_type": "fire_support"}', '"action_type": "fire_support"'),
        ("<b>`x`</b>", "bx/b"),
        ("\uff5b\uff1c\uff40\uff1e\uff5d\uff21", "A"),  # full-width marks are marks, too
        ("a\u200bb\u200cc\u200dd\u2060e\ufefff", "abcdef"),
        ("\u202eevil\u202c\u2066x\u2069", "evilx"),
        ("\x1b[2Kgone\x00\x08", "[2Kgone"),
        ("line\u2028separator\u2029here\x85there", "line separator here there"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("variation\ufe0f selector\U000e0100", "variation selector"),
        ("empty \u2800 braille \u3164 filler", "empty braille filler"),
        ("\ud800 lone", "lone"),
        ("\ue000private \U0010ffff", "private"),
        ("Zürich, 北京, Δ, 😀", "Zürich, 北京, Δ, 😀"),
        ("\u212bngstr\u00f6m", "\u00c5ngstr\u00f6m"),
        ("x" * 1_000, "x" * LONGEST),
        ("", ""),
        ("{}<>`", ""),
        (None, ""),
        (7, ""),
        (["a"], ""),
    ],
)
def test_words_are_cleaned(text, words):
    assert clean(text) == words


HARD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("{}<>`\u200b\u202e\ufeff\u0301\u0300\u1100\u1161\uff5b\ufb03\ud800\x85e "),
    ),
    max_size=300,
)


@given(HARD)
def test_whatever_comes_out_is_short_normal_and_harmless(text):
    words = clean(text)
    assert len(words) <= LONGEST
    assert not set(words) & set("{}<>`\n\r\t\u2028")
    assert unicodedata.is_normalized("NFKC", words)
    assert all(unicodedata.category(mark) not in ("Cc", "Cf", "Cs", "Co", "Cn") for mark in words)
    assert clean(words) == words
    assert words == words.strip()


@pytest.mark.parametrize("text", ["\u0300\u0323" * 500_000, "{" * 1_000_000, "\u200b" * 1_000_000])
def test_cleaning_is_fast(text):
    began = time.perf_counter()
    clean(text)
    assert time.perf_counter() - began < 0.05
