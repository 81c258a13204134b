"""The trained model as an agent: a card of the catalog beside a folder of weights."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from revops_ma.run import write_atomically

RUN_CARD = "run_card.json"
PROMPT = "prompt.md"
_NO_PROMPT = (
    "This model was trained from scratch on dashboards: its chat template leaves this out.\n"
)
NO_WEIGHTS = ("optimizer.pt", "training_args.bin")
"""Files that trainers leave beside a model: pickles, never copied."""

_CARD = """\
{comment}kind = "language"
provider = "huggingface"
model = {model}
about = {about}
world = {world}
role = {role}
prompt = {prompt}
temperature = {temperature}
max_output_tokens = {longest}
repair = false
in_all = false
deadline = 600.0

[options]
{options}
"""
_TINY_OPTIONS = 'batch = 256\ndevice = "cpu"\nthreads = 1'


def write_card(  # noqa: PLR0913 - the fields of a card
    path: Path,
    model: Path,
    *,
    about: str,
    world: str,
    role: str,
    longest: int = 16,
    greedy: bool = False,
    command: str = "",
) -> Path:
    """Write `path`, a card of the model in a folder; the two stay together when they are moved."""
    folder = path.parent.resolve()
    prompt = model / PROMPT
    if not prompt.is_file():
        write_atomically(prompt, _NO_PROMPT)
    text = _CARD.format(
        comment=f"# {command}\n" if command else "",
        model=json.dumps(_from(folder, model)),
        about=json.dumps(about),
        world=json.dumps(world),
        role=json.dumps(role),
        prompt=json.dumps(_from(folder, prompt)),
        temperature="0.0" if greedy else "1.0",
        longest=max(16, longest),
        options=_TINY_OPTIONS,
    )
    write_atomically(path, text)
    return path


def write_pretrained_card(
    path: Path, model: str, adapter: Path | None, system: str, *, longest: int, **card: str
) -> Path:
    """Write the card of a model that exists already (id or path), with the adapter of a run."""
    folder = path.parent.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    prompt = folder / f"{path.stem}.md"
    write_atomically(prompt, system + "\n")
    text = _CARD.format(
        comment=f"# {card.pop('command')}\n",
        **{name: json.dumps(value) for name, value in card.items()},
        model=json.dumps(_from(folder, Path(model)) if Path(model).exists() else model),
        prompt=json.dumps(prompt.name),
        temperature="1.0",
        longest=max(16, longest),
        options=f"adapter = {json.dumps(_from(folder, adapter))}" if adapter else "",
    )
    write_atomically(path, text)
    return path


def ship(source: Path, folder: Path, name: str, run_card: Mapping[str, Any], **card: Any) -> Path:
    """Copy a model's folder to `folder/name` and write `folder/name.toml`; give the card."""
    target = folder / name
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*NO_WEIGHTS, "*.pt", "*.bin"))
    write_atomically(target / RUN_CARD, json.dumps(run_card, indent=2, allow_nan=False) + "\n")
    return write_card(folder / f"{name}.toml", target, **card)


def add_to_run_card(card: Path, told: Mapping[str, Any]) -> None:
    """Put more into the run card of a shipped agent."""
    file = card.with_suffix("") / RUN_CARD
    known = json.loads(file.read_text(encoding="utf-8"))
    write_atomically(file, json.dumps({**known, **told}, indent=2, allow_nan=False) + "\n")


def hash_of(folder: Path) -> str:
    """16 hex digits of the weights in a folder."""
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(folder.glob("*.safetensors")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _from(folder: Path, path: Path) -> str:
    """A path as it is reached from a folder."""
    return Path(os.path.relpath(path.resolve(), folder)).as_posix()
