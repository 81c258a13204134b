"""TRL's GRPOTrainer, set up so that it does nothing but the clipped policy-gradient step.

Importing this module imports torch and trl.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

# The hook is what this trainer is built on; its warning that it may change is answered by the pin.
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")

from datasets import Dataset
from transformers import PrinterCallback
from trl import GRPOConfig, GRPOTrainer

from revops_ma.training.pilot_grpo.hook import Rollouts, advantage
from revops_ma.training.pilot_grpo.quiet import quiet
from revops_ma.training.pilot_grpo.recipe import Recipe


def trainer_of(
    rollouts: Rollouts, folder: Path, callbacks: list[Any], *, done: int, has_gpu: bool = False
) -> GRPOTrainer:
    """A trainer that goes on after `done` rollouts of its recipe."""
    recipe, writer = rollouts.recipe, rollouts.writer
    optimizer = torch.optim.AdamW(
        [each for each in writer.model.parameters() if each.requires_grad],
        lr=recipe.learning_rate,
        weight_decay=0.0,
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, _rate_of(recipe, done))
    left = recipe.rollouts - done
    with quiet():
        trainer = GRPOTrainer(
            model=writer.model,
            reward_funcs=advantage,
            args=_arguments(recipe, writer.longest, folder, left, has_gpu=has_gpu),
            train_dataset=Dataset.from_dict({"prompt": ["rollout"] * left}),
            processing_class=writer.tokenizer,
            callbacks=callbacks,
            optimizers=(optimizer, scheduler),
            rollout_func=rollouts,
        )
    # It prints to stdout, where a command's JSON stands alone; our own log has the figures.
    trainer.remove_callback(PrinterCallback)
    return trainer


def _rate_of(recipe: Recipe, done: int) -> Callable[[int], float]:
    return lambda step: recipe.rate(done + step / recipe.steps)


def _arguments(
    recipe: Recipe, longest: int, folder: Path, rollouts: int, *, has_gpu: bool
) -> GRPOConfig:
    accumulation = recipe.rows // (recipe.steps * recipe.microbatch)
    return GRPOConfig(
        output_dir=str(folder / "trl"),
        use_cpu=not has_gpu,
        bf16=has_gpu,
        gradient_checkpointing=False,
        learning_rate=recipe.learning_rate,
        per_device_train_batch_size=recipe.microbatch,
        gradient_accumulation_steps=accumulation,
        steps_per_generation=recipe.steps * accumulation,
        # One group of all rows: whom a turn is compared with is not TRL's to decide here.
        num_generations=recipe.rows,
        scale_rewards="none",
        loss_type="dapo",
        beta=0.0,
        entropy_coef=recipe.entropy,
        temperature=1.0,
        top_p=1.0,
        top_k=0,
        max_completion_length=longest,
        max_steps=rollouts * recipe.steps,
        shuffle_dataset=False,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=has_gpu,
    )
