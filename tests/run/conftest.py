"""A short run in three segments, and what its tests look at."""

import shutil

import pytest

from revops_ma.run import chain
from tests.run.common import PER_SEGMENT, play


@pytest.fixture(autouse=True, scope="module")
def _short_segments():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chain, "LINES_PER_SEGMENT", PER_SEGMENT)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory, _short_segments):
    """40 episodes in three segments."""
    path = tmp_path_factory.mktemp("runs") / "whole"
    play(path)
    return path


@pytest.fixture
def run(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "run")
