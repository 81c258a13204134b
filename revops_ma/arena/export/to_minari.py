"""One Minari data set per role: `revops_ma/<role>-v<rules version>`.

    MINARI_DATASETS_PATH=OUT python -c "import minari; minari.load_dataset('revops_ma/pilot-v1')"

An episode is the game as one role lives it: its observations (and what it would see at the end),
its moves as kind and strength (the last kind stands for a move that is none), and what it is paid
from each move until its next. Rewards add up to its return.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import minari
import numpy as np
from gymnasium import spaces
from minari.data_collector.episode_buffer import EpisodeBuffer

from revops_ma.arena.export.ledger import Ledger
from revops_ma.arena.export.source import Source
from revops_ma.game import Role

_PATH = "MINARI_DATASETS_PATH"


def write(source: Source, folder: Path) -> tuple[int, dict[str, int]]:
    """Write the data sets; gives the number of moves, and episodes in which a role never moved."""
    world = source.rules.world
    made: dict[str, Any] = {}
    rows, idle = 0, 0
    with _datasets_at(folder):
        for numbers, ledger in source.ledgers():
            for index, role in enumerate(world.roles):
                buffers = _buffers(source, numbers, ledger, index)
                rows += sum(len(buffer) for buffer in buffers)
                idle += len(numbers) - len(buffers)
                if role.name in made:
                    made[role.name].storage.update_episodes(buffers)
                elif buffers:
                    made[role.name] = _new(source, role, buffers)
    return rows, {"episodes without a move of the role": idle}


def _buffers(
    source: Source, numbers: Sequence[int], ledger: Ledger, role: int
) -> list[EpisodeBuffer]:
    none = len(ledger.world.roles[role].kinds())
    found = []
    for row, moves in enumerate(ledger.by_episode(role)):
        if not len(moves):
            continue
        kind = ledger.kind[moves]
        # Minari declares lists and tells in its manual to give arrays.
        columns: dict[str, Any] = {
            "observations": ledger.seen(role, row, moves).astype(np.float32),
            "actions": {
                "kind": np.where(kind < 0, none, kind),
                "strength": ledger.strength[moves],
            },
            "rewards": ledger.reward[moves],
            "terminations": ledger.done[moves],
            "truncations": np.zeros(len(moves), np.bool_),
        }
        number = numbers[row]
        seed = source.episodes[number].seed
        found.append(EpisodeBuffer(seed=seed, options={"episode": number}, **columns))
    return found


def _new(source: Source, role: Role, buffers: list[EpisodeBuffer]) -> Any:
    agents = sorted({names[role.name] for names in source.run.config["matchups"]})
    strength = spaces.Box(-np.inf, np.inf, (), np.float64)
    with warnings.catch_warnings():
        # Minari recommends an e-mail address and a permalink, which a run does not know.
        warnings.simplefilter("ignore", UserWarning)
        return minari.create_dataset_from_buffers(
            f"revops_ma/{role.name}-v{source.rules.version}",
            buffers,
            observation_space=role.observation_space,
            action_space=spaces.Dict(
                {"kind": spaces.Discrete(len(role.kinds()) + 1), "strength": strength}
            ),
            algorithm_name=", ".join(agents),
            description=f"{source.run.config['scenario']}: {source.rules.recorded}",
            data_format="hdf5",
            requirements=["revops-ma"],
        )


@contextmanager
def _datasets_at(folder: Path) -> Generator[None]:
    """Minari knows no other way to be told where to write."""
    before = os.environ.get(_PATH)
    os.environ[_PATH] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_PATH]
        else:
            os.environ[_PATH] = before
