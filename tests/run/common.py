from revops_ma.arena.match import play_match
from revops_ma.run import Run

PLAYERS = {"pilot": "random", "crisis": "random"}
PER_SEGMENT = 16


def play(path, episodes=40, seed=9, **changed):
    return play_match({**PLAYERS, **changed}, "revops/normal", episodes, seed, path)


def files(path):
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def segment(path, number=0):
    return path / f"episodes-{number:05d}.jsonl"


def lines_of(path):
    return [line for file in Run(path).segments() for line in file.read_bytes().splitlines(True)]
