"""`moves.parquet`, a row per move, and `episodes.parquet`, a row per episode; join on `episode`.

`observation` is what the mover saw, in the order of its role's observation space; columns
`state_<name>` are the world's own figures before the move, by name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from revops_ma.arena.export.ledger import Ledger
from revops_ma.arena.export.source import Source, metadata_of
from revops_ma.episode import Episode

_PLAIN = ("seed", "status", "reason", "ending", "won", "steps", "digest")
_BY_NAME = {"returns": "return", "facts": "fact", "refused": "refused", "fallbacks": "fallbacks"}
"""Columns of an episode that hold one value per role or fact, and how they are named apart."""


def write(source: Source, folder: Path) -> tuple[int, dict[str, int]]:
    """Write both tables; gives the number of moves, and nothing is left out."""
    origin = {"revops_ma": json.dumps(metadata_of(source))}
    rows, writer = 0, None
    try:
        for numbers, ledger in source.ledgers():
            table = _moves(source, numbers, ledger).replace_schema_metadata(origin)
            if writer is None:
                writer = pq.ParquetWriter(folder / "moves.parquet", table.schema)
            writer.write_table(table)
            rows += len(table)
    finally:
        if writer is not None:
            writer.close()
    told = pa.Table.from_pylist([_episode(source, *each) for each in enumerate(source.episodes)])
    pq.write_table(told.replace_schema_metadata(origin), folder / "episodes.parquet")
    return rows, {}


def _moves(source: Source, numbers: Sequence[int], ledger: Ledger) -> pa.Table:
    order = ledger.order
    row, role = ledger.row[order], ledger.role[order]
    episodes = [source.episodes[number] for number in numbers]
    positions = np.array(numbers) // source.run.config["episodes"]
    columns: dict[str, Any] = {
        "episode": np.array(numbers)[row],
        "matchup": _named([episode.matchup for episode in episodes], row),
        "matchup_position": positions[row],
        "seed": np.array([episode.seed for episode in episodes])[row],
        "step": ledger.step[order],
        "role": _named([each.name for each in ledger.world.roles], role),
        "kind": _kinds(ledger, role, ledger.kind[order]),
        "strength": ledger.strength[order],
        "move": pa.array(map(json.dumps, ledger.moves()), pa.string()),
        "reward": ledger.reward[order],
        "done": ledger.done[order],
        "observation": pa.array(ledger.observations(), pa.list_(pa.float64())),
    }
    figures = {f"state_{name}": values[order] for name, values in ledger.figures.items()}
    return pa.table(columns | figures)


def _named(names: Sequence[str], indices: Any) -> Any:
    """A column of few different words."""
    distinct = sorted(set(names))
    places = np.array([distinct.index(name) for name in names], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(places[indices]), pa.array(distinct))


def _kinds(ledger: Ledger, role: Any, kind: Any) -> Any:
    """Names of the kinds of move of all roles; null where a move is of none."""
    kinds = [list(each.kinds()) for each in ledger.world.roles]
    starts = np.cumsum([0, *map(len, kinds)])[role]
    place = pa.array((starts + kind).astype(np.int32), mask=kind < 0)
    return pa.DictionaryArray.from_arrays(
        place, pa.array([name for each in kinds for name in each])
    )


def _episode(source: Source, number: int, episode: Episode) -> dict[str, Any]:
    position = number // source.run.config["episodes"]
    parts = {
        f"{prefix}_{name}": value
        for field, prefix in _BY_NAME.items()
        for name, value in getattr(episode, field).items()
    }
    return {
        "episode": number,
        "matchup": episode.matchup,
        "matchup_position": position,
        **source.players(number),
        **{name: getattr(episode, name) for name in _PLAIN},
        **parts,
    }
