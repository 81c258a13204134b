"""Many sockets at once against a server on loopback, and what the same episodes give in process."""

import asyncio
import json
from itertools import cycle, islice

from websockets.asyncio.client import connect

from revops_ma.adapters.menu import Menu
from revops_ma.adapters.served import ServedGame

MOVES = [
    {"action_type": name, "magnitude": magnitude}
    for name, magnitude in (
        ("negotiate_contracts", 1.0),
        ("hire_support", 0.4),
        ("cut_costs", 0.7),
        ("raise_prices", 0.3),
        ("negotiate_contracts", 0.6),
    )
]


def moves_of(seed, steps):
    """The moves of a seed: each seed plays others, so that mixed-up sessions show."""
    return list(islice(cycle(MOVES[seed % len(MOVES) :] + MOVES[: seed % len(MOVES)]), steps))


def expected(seed, steps):
    """What a session must see: rewards and MRR step by step, from a game in this process."""
    game = ServedGame(Menu(["revops/easy"]))
    game.reset(seed=seed)
    seen = []
    for move in moves_of(seed, steps):
        if game.is_over:
            break
        frame = game.step(move)
        seen.append((frame["reward"], frame["observation"]["mrr"]))
    return seen


async def play(url, seed, steps):
    """One session; gives what it saw."""
    seen = []
    async with connect(url, proxy=None, compression=None, open_timeout=120) as socket:
        await socket.send(json.dumps({"type": "reset", "data": {"seed": seed}}))
        frame = json.loads(await socket.recv())["data"]
        for move in moves_of(seed, steps):
            if frame["done"]:
                break
            await socket.send(json.dumps({"type": "step", "data": move}))
            frame = json.loads(await socket.recv())["data"]
            seen.append((frame["reward"], frame["observation"]["mrr"]))
    return seen


async def crowd(url, seeds, steps):
    """All sessions at once; what each saw."""
    return await asyncio.gather(*(play(url, seed, steps) for seed in seeds))
