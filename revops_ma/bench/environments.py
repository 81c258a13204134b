"""Our environments as other people's loops drive them, beside theirs."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from revops_ma.bench.company import FIRST_SEED, SCENARIO
from revops_ma.bench.meter import Line, NotMeasured, Subject, Work, measure, ratio

VECTOR_SIZE = 4_096
_TURNS_PER_WORK = 500
_STEPS_PER_WORK = 1_000
_SAMPLES = 256
"""Actions drawn beforehand: sampling a space costs more than some of these steps."""


def turns(seconds: float) -> list[Line]:
    """One AEC game at a time, `last` and `step` of a living agent counted as one turn."""
    ours, peer = measure(
        [
            Subject(
                f"aec {SCENARIO}",
                "turns/s",
                "Dict actions, as sampled. A turn took 15.5 us while columns, infos and copies of"
                " the state were made in advance and takes 8 since they are made when read: 1.9 for"
                " the Dict (MultiDiscrete 0.4, so a fourth more turns), 1.3 for the move, 0.9 for"
                " the observation, the rest Python around them. Of each kernel call most is the"
                " look at its arguments' types.",
                _our_turns,
            ),
            Subject(
                "peer: pettingzoo tictactoe_v3",
                "turns/s",
                "As `env()` gives it, wrappers included: 40 us a turn in the same rounds.",
                _tictactoe_turns,
            ),
        ],
        seconds,
    )
    note = "Our turn simulates a month of a company; theirs sets a mark on a board of nine."
    return [ours, peer, ratio("aec / tictactoe", ours, peer, note)]


def single(seconds: float) -> list[Line]:
    """The single environment most people know, as a yardstick of this machine."""
    note = "One environment of `gymnasium.make`, resets included."
    return measure([Subject("peer: gymnasium CartPole-v1", "steps/s", note, _cartpole)], seconds)


def vectors(seconds: float) -> list[Line]:
    """Vector environments of one size; resets that fill a step of a dead game do not count."""
    size = f"N={VECTOR_SIZE}"
    ours, cartpole, envpool = measure(
        [
            Subject(
                f"vector {SCENARIO} {size}",
                "company-steps/s",
                "The kernel's step, observations of all games, and Gymnasium's bookkeeping.",
                _our_vector,
            ),
            Subject(
                f"peer: gymnasium CartPoleVectorEnv {size}",
                "steps/s",
                "NumPy over all poles at once.",
                _cartpole_vector,
            ),
            Subject(
                f"peer: envpool CartPole-v1 {size}",
                "steps/s",
                "C++ on all cores.",
                _envpool,
            ),
        ],
        seconds,
    )
    note = "A pole has 4 numbers and no opponent; a company has 9, an adversary and its own luck."
    return [
        ours,
        cartpole,
        envpool,
        ratio("vector / CartPoleVectorEnv", ours, cartpole, note),
        ratio("vector / envpool", ours, envpool, note),
    ]


def _our_turns() -> Work:
    from revops_ma.adapters.pettingzoo import aec_env

    env = aec_env(SCENARIO)
    env.reset(seed=FIRST_SEED)
    samples = {agent: _samples(env.action_space(agent)) for agent in env.possible_agents}
    return turns_of(env, lambda agent, _observation, turn: samples[agent][turn % _SAMPLES])


def _tictactoe_turns() -> Work:
    module = _import("pettingzoo.classic.tictactoe.tictactoe", "pip install 'pettingzoo[classic]'")

    def choose(_agent: str, observation: Any, turn: int) -> Any:
        legal = observation["action_mask"].nonzero()[0]
        return legal[turn % len(legal)]

    env = module.env()
    env.reset(seed=FIRST_SEED)
    return turns_of(env, choose)


def turns_of(env: Any, choose: Any) -> Work:
    """Work that plays some turns of living agents, in as many games as that takes."""

    def work() -> int:
        played = 0
        while played < _TURNS_PER_WORK:
            if not env.agents:
                env.reset()
            agent = env.agent_selection
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            env.step(choose(agent, observation, played))
            played += 1
        return played

    return work


def _cartpole() -> Work:
    import gymnasium

    env = gymnasium.make("CartPole-v1")
    env.reset(seed=FIRST_SEED)
    actions = _samples(env.action_space)

    def work() -> int:
        for step in range(_STEPS_PER_WORK):
            _, _, terminated, truncated, _ = env.step(actions[step % _SAMPLES])
            if terminated or truncated:
                env.reset()
        return _STEPS_PER_WORK

    return work


def _our_vector() -> Work:
    from revops_ma.adapters.vector import SeatVectorEnv

    return _vector_work(
        SeatVectorEnv(VECTOR_SIZE, SCENARIO, "pilot", actions="discrete", crisis="rule-based")
    )


def _cartpole_vector() -> Work:
    from gymnasium.envs.classic_control.cartpole import CartPoleVectorEnv

    return _vector_work(CartPoleVectorEnv(num_envs=VECTOR_SIZE))


def _vector_work(env: Any) -> Work:
    """Work that plays one step of a Gymnasium vector; returns how many games were alive before."""
    env.reset(seed=FIRST_SEED)
    samples = [env.action_space.sample() for _ in range(8)]
    # In this mode the step after an end is the reset, and whatever was done in it is ignored.
    resets_take_a_step = env.metadata.get("autoreset_mode") == AutoresetMode.NEXT_STEP
    turn, resetting = 0, 0

    def work() -> int:
        nonlocal turn, resetting
        _, _, terminated, truncated, _ = env.step(samples[turn % len(samples)])
        turn += 1
        alive = env.num_envs - resetting
        resetting = int(np.count_nonzero(terminated | truncated)) if resets_take_a_step else 0
        return alive

    return work


def _envpool() -> Work:
    module = _import("envpool", "pip install envpool")
    env = module.make("CartPole-v1", env_type="gymnasium", num_envs=VECTOR_SIZE)
    env.reset()
    actions = [np.random.default_rng(k).integers(0, 2, VECTOR_SIZE) for k in range(8)]
    turn, resetting = 0, 0

    def work() -> int:
        nonlocal turn, resetting
        _, _, terminated, truncated, _ = env.step(actions[turn % len(actions)])
        turn += 1
        alive = VECTOR_SIZE - resetting
        resetting = int(np.count_nonzero(terminated | truncated))
        return alive

    return work


def _import(module: str, way_out: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NotMeasured(f"{way_out} ({error})") from None


def _samples(space: Any) -> list[Any]:
    space.seed(0)
    return [space.sample() for _ in range(_SAMPLES)]
