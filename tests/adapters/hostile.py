"""Things that are no moves."""

import numpy as np
from hypothesis import strategies as st

numbers = st.one_of(
    st.integers(), st.floats(allow_nan=True, allow_infinity=True), st.booleans(), st.none()
)
scraps = st.one_of(
    numbers,
    st.text(max_size=8),
    st.lists(numbers, max_size=4),
    st.floats(width=32, allow_nan=True).map(np.float32),
    st.integers(-99, 99).map(np.int64),
    st.lists(st.integers(-3, 12), max_size=4).map(np.array),
)
keys = st.sampled_from(
    ("kind", "magnitude", "severity", "action_type", "crisis_type", "churn_pts", "mrr_pct", "x")
)
names = st.sampled_from(("hire_support", "CHURN_SPIKE", "PASS", "METEOR"))
actions = st.one_of(scraps, st.dictionaries(keys, st.one_of(scraps, names), max_size=4))
"""From nonsense to almost legal: wrong types, NaN, infinities, foreign keys, odd shapes."""
