"""A Hugging Face data set of chats, saved to disk: what a language model is shown, what was played.

    datasets.load_from_disk(OUT)

`prompt` and `completion` are lists of messages, as TRL's SFTTrainer reads them; the completion is
the move as the JSON object that the role's schema asks for.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa

from revops_ma.arena.export.ledger import Ledger
from revops_ma.arena.export.source import Source

_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_SCHEMA = pa.schema(
    [
        ("prompt", _MESSAGES),
        ("completion", _MESSAGES),
        ("episode", pa.int64()),
        ("seed", pa.int64()),
        ("matchup", pa.string()),
        ("agent", pa.string()),
        ("role", pa.string()),
        ("step", pa.int64()),
        ("reward", pa.float64()),
        ("episode_return", pa.float64()),
        ("won", pa.bool_()),
    ]
)


def write(source: Source, folder: Path) -> tuple[int, dict[str, int]]:
    """Write the rows; gives their number, and how many moves no JSON object stands for."""
    rows, silent = 0, 0
    stream = folder / "rows.arrow"
    with pa.OSFile(str(stream), "wb") as sink, pa.ipc.new_stream(sink, _SCHEMA) as writer:
        for numbers, ledger in source.ledgers(texts=True):
            told = _rows(source, numbers, ledger)
            writer.write_table(pa.Table.from_pylist(told, _SCHEMA))
            rows += len(told)
            silent += len(ledger.order) - len(told)
    datasets.disable_progress_bars()
    try:
        saved = folder / "saved"
        datasets.Dataset.from_file(str(stream)).save_to_disk(str(saved))
    finally:
        datasets.enable_progress_bars()
    stream.unlink()
    for file in saved.iterdir():
        shutil.move(file, folder / file.name)
    saved.rmdir()
    return rows, {"moves without a JSON form": silent}


def _rows(source: Source, numbers: Sequence[int], ledger: Ledger) -> list[dict[str, Any]]:
    found = []
    for at in ledger.order.tolist():
        role = ledger.world.roles[ledger.role[at]]
        move = ledger.spoken[at]
        if move is None:
            continue
        number = numbers[ledger.row[at]]
        episode = source.episodes[number]
        row = {
            "prompt": [{"role": "user", "content": ledger.texts[at]}],
            "completion": [{"role": "assistant", "content": json.dumps(move)}],
            "episode": number,
            "seed": episode.seed,
            "matchup": episode.matchup,
            "agent": source.players(number)[role.name],
            "role": role.name,
            "step": int(ledger.step[at]),
            "reward": float(ledger.reward[at]),
            "episode_return": episode.returns[role.name],
            "won": episode.won,
        }
        found.append(row)
    return found
