"""Each tampering is a function that changes a run and tells what the message must name."""

import json
import random
from pathlib import Path

import pytest

from revops_ma.errors import BadInput
from revops_ma.run import MANIFEST, Run, TamperedRun, chain, manifest
from tests.run.common import PER_SEGMENT, files, lines_of, play, segment


def write(run, lines):
    for number, file in enumerate(Run(run).segments()):
        file.write_bytes(b"".join(lines[number * PER_SEGMENT : (number + 1) * PER_SEGMENT]))


def place(index):
    return f"{segment(Path(), index // PER_SEGMENT)} line {index % PER_SEGMENT + 1} "


def somewhere(file, random_):
    content = bytearray(file.read_bytes())
    at = random_.randrange(len(content))
    return content, at


def flip_a_bit(run, random_):
    number = random_.randrange(3)
    content, at = somewhere(segment(run, number), random_)
    line = content[:at].count(b"\n")
    content[at] ^= 1 << random_.randrange(8)
    segment(run, number).write_bytes(content)
    return place(number * PER_SEGMENT + line)


def flip_a_bit_of_the_manifest(run, random_):
    content, at = somewhere(run / MANIFEST, random_)
    content[at] ^= 1 << random_.randrange(8)
    (run / MANIFEST).write_bytes(content)
    return MANIFEST


def edit_the_manifest(run, random_):
    content = json.loads((run / MANIFEST).read_text())
    name = random_.choice(sorted(content))
    value = content[name]
    changed = {
        int: lambda: value + random_.choice([-1, 1]),
        str: lambda: value[:-1] + ("0" if value[-1] != "0" else "1"),
        dict: lambda: dict(list(value.items())[:-1]),
    }
    content[name] = changed[type(value)]()
    (run / MANIFEST).write_text(manifest.written(content))
    return MANIFEST


def drop_a_line(run, random_):
    lines = lines_of(run)
    at = random_.randrange(40)
    file, within = segment(run, at // PER_SEGMENT), at % PER_SEGMENT
    kept = file.read_bytes().splitlines(True)
    del kept[within], lines[at]
    file.write_bytes(b"".join(kept))
    if at == 39:
        return "after number 39"
    follows = at if within < len(kept) else at + 1
    return place(follows)


def swap_lines(run, random_):
    lines = lines_of(run)
    a, b = sorted(random_.sample(range(40), 2))
    lines[a], lines[b] = lines[b], lines[a]
    write(run, lines)
    return place(a)


def double_a_line(run, random_):
    at = random_.randrange(40)
    file, within = segment(run, at // PER_SEGMENT), at % PER_SEGMENT
    lines = file.read_bytes().splitlines(True)
    lines.insert(within, lines[within])
    file.write_bytes(b"".join(lines))
    return f"{file.name} line {within + 2} "


def truncate(run, random_):
    size = segment(run, 2).stat().st_size
    at = random_.randrange(size)
    kept = segment(run, 2).read_bytes()[:at]
    segment(run, 2).write_bytes(kept)
    whole = 32 + kept.count(b"\n")
    return place(whole) if not kept.endswith(b"\n") and kept else f"after number {whole}"


def edit_the_last_record(run, random_):
    lines = segment(run, 2).read_bytes().splitlines(True)
    digits = [at for at, byte in enumerate(lines[-1]) if chr(byte).isdigit()]
    at, old = random_.choice(digits), lines[-1]
    new = str((int(chr(old[at])) + 1) % 10).encode()
    lines[-1] = old[:at] + new + old[at + 1 :]
    segment(run, 2).write_bytes(b"".join(lines))
    return place(39)


def forge_the_last_record(run, random_):
    """Change a record and compute its own hash anew: the manifest still knows better."""
    links = list(Run(run).links())
    content = links[-1].content.replace(b'"steps":', b'"steps":1', 1)
    lines = segment(run, 2).read_bytes().splitlines(True)
    lines[-1] = chain.line_of(chain.next_link(links[-2].chain, content), content)
    segment(run, 2).write_bytes(b"".join(lines))
    return place(39)


def drop_a_segment(run, random_):
    number = random_.randrange(3)
    segment(run, number).unlink()
    return "after number 32" if number == 2 else f"{segment(Path(), number)} is missing"


def add_to_the_end(run, random_):
    more = random_.choice([b"{", b"\n", lines_of(run)[-1], lines_of(run)[-1][:50]])
    with segment(run, 2).open("ab") as file:
        file.write(more)
    return place(40)


TAMPERINGS = (
    flip_a_bit,
    flip_a_bit_of_the_manifest,
    edit_the_manifest,
    drop_a_line,
    swap_lines,
    double_a_line,
    truncate,
    edit_the_last_record,
    forge_the_last_record,
    drop_a_segment,
    add_to_the_end,
)


def tamper_and_read(run, originals, tamper, random_):
    where = tamper(run, random_)
    with pytest.raises(BadInput) as told:
        list(Run(run).episodes())
    assert where in f"{told.value} "
    assert isinstance(told.value, TamperedRun) or "format" in str(told.value)
    for name, content in originals.items():
        (run / name).write_bytes(content)


@pytest.mark.parametrize("tamper", TAMPERINGS)
def test_tampering_is_found_and_located(run, tamper):
    originals, random_ = files(run), random.Random(tamper.__name__)
    for _ in range(40):
        tamper_and_read(run, originals, tamper, random_)


@pytest.mark.slow
def test_ten_thousand_random_tamperings_are_all_found_and_located(run):
    originals, random_ = files(run), random.Random(20_251)
    for _ in range(10_000):
        tamper_and_read(run, originals, random_.choice(TAMPERINGS), random_)


def test_an_edited_config_is_found(run):
    text = (run / MANIFEST).read_text().replace('"seed": 9', '"seed": 8')
    (run / MANIFEST).write_text(text)
    with pytest.raises(TamperedRun, match="config does not fit its hash"):
        Run(run)


def test_records_of_another_run_do_not_fit(run, tmp_path):
    play(tmp_path / "other", seed=100)
    segment(run).write_bytes(segment(tmp_path / "other").read_bytes())
    with pytest.raises(TamperedRun, match="line 1 does not follow"):
        list(Run(run).episodes())
