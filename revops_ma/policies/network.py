"""Weights of a small policy network: what is in its .npz file, and what it says of observations.

The file holds plain arrays: `mean`, `scale` [d] of the observation; `policy_w0`, `policy_b0`, ...
of two tanh layers and a linear one, [d, h], [h], [h, g], [g], [g, k], [k], with one output for each
point of the role's training space, whose `sizes` multiply to k; and, for training to go on from it,
the same six of a `critic` with one output.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from revops_ma.errors import CardError
from revops_ma.game import Floats, Role
from revops_ma.policies.forward import forward

Floats32 = NDArray[np.float32]
Layers = tuple[Floats32, ...]
"""w0, b0, w1, b1, w2, b2."""

FURTHEST = 10.0
"""Standard deviations from the mean at which an observation is cut off."""
LARGEST_BYTES = 64 * 2**20
"""Of all arrays of a file, unpacked; a policy of 64 x 64 has 80,000."""
_PARTS = ("w0", "b0", "w1", "b1", "w2", "b2")


@dataclass(frozen=True, eq=False)
class Network:
    """A policy over the joint choices of a training space, and the critic it was trained with."""

    mean: Floats
    scale: Floats
    """[d] of the observation: a network sees `(numbers - mean) / scale`, cut off at FURTHEST."""
    sizes: NDArray[np.int64]
    """Sizes of the training space, the last one running fastest in the outputs."""
    policy: Layers
    critic: Layers = ()

    @property
    def inputs(self) -> int:
        """Numbers of an observation."""
        return len(self.mean)

    @property
    def outputs(self) -> int:
        """Joint choices."""
        return len(self.policy[-1])

    def normalise(self, numbers: Floats) -> Floats32:
        """[n, d] inputs of the two nets for [n, d] observations."""
        inputs = (numbers - self.mean) / self.scale
        return np.clip(inputs, -FURTHEST, FURTHEST).astype(np.float32)

    def logits(self, inputs: Floats32) -> Floats32:
        """[n, k] outputs of the policy; each row has the same bits in any batch."""
        return _run(inputs, self.policy)

    def values(self, inputs: Floats32) -> Floats32:
        """[n] outputs of the critic."""
        return _run(inputs, self.critic)[:, 0]

    def moves(self, choices: NDArray[np.int64]) -> NDArray[np.int64]:
        """[n, axes] points of the training space for [n] joint choices."""
        return np.stack(np.unravel_index(choices, tuple(self.sizes)), axis=1)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything by its name in the file."""
        return {
            "mean": self.mean,
            "scale": self.scale,
            "sizes": self.sizes,
            **dict(zip((f"policy_{part}" for part in _PARTS), self.policy, strict=True)),
            **dict(zip((f"critic_{part}" for part in _PARTS), self.critic, strict=False)),
        }

    @property
    def digest(self) -> str:
        """16 hex digits of all arrays."""
        digest = hashlib.blake2b(digest_size=8)
        for name, array in sorted(self.arrays().items()):
            digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    def save(self, path: Path) -> None:
        """Write the .npz file in one step; equal networks give equal bytes."""
        partial = path.with_name(f".{path.stem}.{os.getpid()}.npz")
        np.savez(partial, **self.arrays())  # ty: ignore[invalid-argument-type] - names are no flags
        partial.replace(path)


def load(path: Path, role: Role) -> Network:
    """Read the weights of one role; CardError for a file that is missing, broken or of another."""
    try:
        return _checked(_read(path), role)
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        reason = f"no array {error}" if isinstance(error, KeyError) else str(error)
        raise CardError(
            f"weights {path}: {' '.join(reason.split())}; expected: an .npz file of plain arrays"
            f" for the {role.name}, as `revops-ma train` writes it"
        ) from None


def _read(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file:
        found = np.load(file, allow_pickle=False)
        if not isinstance(found, NpzFile):
            raise ValueError("a single array")  # noqa: TRY004 - of the file, not of an argument
        size = sum(entry.file_size for entry in found.zip.infolist())
        if size > LARGEST_BYTES:
            raise ValueError(f"{size:,} bytes of arrays; up to {LARGEST_BYTES:,} are read")
        return {name: found[name] for name in found.files}


def _checked(arrays: Mapping[str, NDArray[Any]], role: Role) -> Network:
    sizes = np.asarray(arrays["sizes"])
    wanted = role.training_space.nvec.tolist()
    if sizes.tolist() != wanted:
        raise ValueError(f"sizes of the training space: got {sizes.tolist()}; expected {wanted}")
    inputs = int(role.observation_space.shape[0])
    policy = tuple(_layers(arrays, "policy", inputs, int(np.prod(wanted))))
    has_critic = any(name.startswith("critic_") for name in arrays)
    critic = tuple(_layers(arrays, "critic", inputs, 1)) if has_critic else ()
    mean, scale = (_array(arrays, name, (inputs,), np.float64) for name in ("mean", "scale"))
    if not (scale > 0).all():
        raise ValueError("scale: expected numbers above 0")
    return Network(mean, scale, sizes.astype(np.int64), policy, critic)


def _layers(
    arrays: Mapping[str, NDArray[Any]], net: str, inputs: int, outputs: int
) -> Iterator[Floats32]:
    """Check the six arrays of a net against each other."""
    widths = [inputs, *(np.size(arrays[f"{net}_b{n}"]) for n in (0, 1)), outputs]
    for n in (0, 1, 2):
        yield _array(arrays, f"{net}_w{n}", (widths[n], widths[n + 1]), np.float32)
        yield _array(arrays, f"{net}_b{n}", (widths[n + 1],), np.float32)


def _array(
    arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...], dtype: Any
) -> NDArray[Any]:
    array = arrays[name]
    if array.shape != shape or array.dtype != dtype:
        expected = f"{np.dtype(dtype)} {shape}"
        raise ValueError(f"{name}: got {array.dtype} {array.shape}; expected {expected}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: expected finite numbers")
    return np.ascontiguousarray(array)


def _run(inputs: Floats32, layers: Layers) -> Floats32:
    out = np.empty((len(inputs), len(layers[-1])), np.float32)
    forward(inputs, *layers, out)
    return out
