"""RLlib's PPO learner as it is used here: fed with ready batches.

RLlib's own way from episodes to a batch goes through Python objects per episode and per step; the
`Learner` also takes a batch that is complete, and the loss, the optimizer and the minibatches are
RLlib's. Importing this module imports torch and ray.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME

from revops_ma.policies.network import FURTHEST, Network
from revops_ma.training.module import PolicyModule
from revops_ma.training.plan import order_of
from revops_ma.training.recipe import Recipe
from revops_ma.training.sampling import Rollout

PROGRESS_STEPS = 1_000_000
"""RLlib's schedules run over time steps; here they run over the progress, in millionths."""
_SMALLEST_DEVIATION = 1e-4
FIGURES = ("policy_loss", "vf_loss", "entropy", "vf_explained_var")
"""What of RLlib's results is kept for every iteration."""


class ScheduledLearner(PPOTorchLearner):
    """PPO's learner, with rates set before an update instead of after it.

    So an update depends on the state and on its own progress, not on the update before it, which
    another process may have done.
    """

    def before_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Set learning rates and entropy weights for the progress of this update."""
        super().before_gradient_based_update(timesteps=timesteps)
        now = timesteps[NUM_ENV_STEPS_SAMPLED_LIFETIME]
        for module in self.module.keys():  # noqa: SIM118 - a MultiRLModule is no dict
            self.entropy_coeff_schedulers_per_module[module].update(timestep=now)
        for optimizer, schedule in self._optimizer_lr_schedules.items():
            self._set_optimizer_lr(optimizer, lr=schedule.update(timestep=now))


def spaces_of(network: Network) -> tuple[gymnasium.Space[Any], gymnasium.Space[Any]]:
    """Inputs and joint choices of a network as Gymnasium spaces."""
    box = gymnasium.spaces.Box(-FURTHEST, FURTHEST, (network.inputs,), np.float32)
    return box, gymnasium.spaces.Discrete(network.outputs)


def config_of(role: str, network: Network, recipe: Recipe) -> PPOConfig:
    """RLlib's configuration: one module, named like the role."""
    seen, chosen = spaces_of(network)
    module = RLModuleSpec(
        module_class=PolicyModule,
        observation_space=seen,
        action_space=chosen,
        model_config={"hidden": network.policy[1].size},
    )
    config = PPOConfig(algo_class=PPO)
    config.environment(observation_space=seen, action_space=chosen)
    config.framework("torch")
    # Batches are complete when they reach the learner, and runners see no RLlib episodes.
    config.learners(
        learner_class=ScheduledLearner, add_default_connectors_to_learner_pipeline=False
    )
    config.env_runners(
        add_default_connectors_to_env_to_module_pipeline=False,
        add_default_connectors_to_module_to_env_pipeline=False,
    )
    config.training(
        lr=_schedule(recipe.learning_rate),
        entropy_coeff=_schedule(recipe.entropy),
        clip_param=recipe.clip,
        gamma=recipe.gamma,
        lambda_=recipe.lambda_,
        minibatch_size=recipe.minibatch,
        num_epochs=1,
        use_kl_loss=False,
        vf_clip_param=float("inf"),
        vf_loss_coeff=0.5,
        train_batch_size=max(recipe.games, recipe.minibatch),
    )
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={role: module}))
    config.multi_agent(policies={role}, policy_mapping_fn=_module_of)
    return config


def _module_of(agent: Any, _episode: Any, **_: Any) -> str:
    """The module of an agent: modules have the names of roles."""
    return str(agent)


def _schedule(ends: tuple[float, float]) -> Any:
    """As RLlib takes it, though it declares only the entropy's weight as a number."""
    return [[0, ends[0]], [PROGRESS_STEPS, ends[1]]]


def batch_of(
    rollout: Rollout, recipe: Recipe, seed: int, iteration: int
) -> Mapping[str, NDArray[Any]]:
    """Columns of PPO's loss: every epoch's samples, shuffled, one epoch after the other."""
    advantages = rollout.advantages(recipe.gamma, recipe.lambda_)
    deviation = max(float(advantages.std()), _SMALLEST_DEVIATION)
    columns: dict[str, NDArray[Any]] = {
        Columns.OBS: rollout.inputs,
        Columns.ACTIONS: rollout.choices,
        Columns.ACTION_DIST_INPUTS: rollout.logits,
        Columns.ACTION_LOGP: log_shares(rollout),
        Postprocessing.ADVANTAGES: _single((advantages - advantages.mean()) / deviation),
        Postprocessing.VALUE_TARGETS: _single(advantages + rollout.values),
    }
    order = order_of(seed, iteration, len(advantages), recipe.epochs)
    return {name: column[order] for name, column in columns.items()}


def update_arguments(
    role: str, columns: Mapping[str, NDArray[Any]], recipe: Recipe, progress: float
) -> dict[str, Any]:
    """What `Learner.update` and `LearnerGroup.update` are called with."""
    count = len(columns[Columns.ACTIONS])
    return {
        "batch": MultiAgentBatch({role: SampleBatch(dict(columns))}, env_steps=count),
        "timesteps": {NUM_ENV_STEPS_SAMPLED_LIFETIME: int(progress * PROGRESS_STEPS)},
        "num_epochs": 1,
        "minibatch_size": min(recipe.minibatch, count),
    }


def figures_of(results: Mapping[str, Any]) -> dict[str, float]:
    """The figures of one module's results."""
    return {name: float(results[name]) for name in FIGURES if name in results}


def log_shares(rollout: Rollout) -> NDArray[np.float32]:
    """[m] log-probability of each choice."""
    logits = rollout.logits.astype(np.float64)
    logits -= logits.max(axis=1, keepdims=True)
    chosen = logits[np.arange(len(logits)), rollout.choices]
    return _single(chosen - np.log(np.exp(logits).sum(axis=1)))


def _single(column: NDArray[np.float64]) -> NDArray[np.float32]:
    return column.astype(np.float32)


@contextmanager
def one_thread() -> Generator[None]:
    """Let torch use one thread: nets this small get no faster by more, and bits stay the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def quiet() -> Generator[None]:
    """Keep RLlib from warning of its own deprecated insides while modules are built."""
    names = (
        "ray._common.deprecation",
        "ray.rllib.core.rl_module.rl_module",
        "ray.rllib.algorithms",
    )
    levels = [(one, one.level) for one in map(logging.getLogger, names)]
    for one, _ in levels:
        one.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for one, level in levels:
            one.setLevel(level)
