"""What `import revops_ma` costs and what the core leaves alone."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "ray", "trl", "transformers", "google.genai", "openai", "openenv", "fastapi")
HEAVY += ("gradio", "pandas", "matplotlib", "pyarrow", "pettingzoo")

CORE = ("revops_ma", "revops_ma.catalog", "revops_ma.testing", "revops_ma.worlds.revops")
CORE += tuple(f"revops_ma.policies.language.{name}" for name in ("agent", "gemini", "openai"))
CORE += ("revops_ma.arena.match",)


@pytest.mark.parametrize("module", CORE)
def test_importing_the_core_loads_nothing_heavy(module):
    script = f"import sys, {module}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_importing_the_package_takes_less_than_a_second():
    script = (
        "import time; t = time.process_time(); import revops_ma; print(time.process_time() - t)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 1.0


@pytest.mark.parametrize("order", ["gymnasium, revops_ma", "revops_ma, gymnasium"])
def test_gymnasium_finds_the_ids_in_whatever_order_the_two_are_imported(order):
    script = f"import {order}; print(type(gymnasium.make('RevOps-Pilot-v0').unwrapped).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "SingleSeatEnv"


def test_every_exported_name_is_there():
    import revops_ma

    for name in revops_ma.__all__:
        assert getattr(revops_ma, name) is not None
    assert set(revops_ma.__all__) <= set(dir(revops_ma))
    assert revops_ma.__version__[0].isdigit()


def test_a_name_that_is_not_there_is_an_attribute_error():
    import revops_ma

    with pytest.raises(AttributeError, match="no_such_name"):
        revops_ma.no_such_name  # noqa: B018
