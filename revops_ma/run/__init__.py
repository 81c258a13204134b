"""The run directory: what was asked, and every finished episode, so that nothing is lost.

    run.json              config and its hash, versions, planned and committed count, head hash
    episodes-00000.jsonl  append-only; each line is chained to the one before by its hash
    calls.jsonl           what models were asked and answered, where they are recorded
    run.lock              empty; locked while a process writes
    report.html           derived from the first two, like everything in export/

Episodes are written in the order of the plan. Killing the process at any instant loses no finished
episode, doubles none, and the same command resumes it to a byte-equal result; another config is
refused. Any changed byte, and any dropped, doubled or moved line is found and located. The hashes
prove that a run is whole, not who wrote it: whoever computes all of them anew can forge one, but
only `replay` tells whether the rules give these results.
"""

from revops_ma.run.calls import CALLS, JOURNAL, read_turns
from revops_ma.run.chain import LINES_PER_SEGMENT, TamperedRun
from revops_ma.run.manifest import FORMAT, MANIFEST, config_hash, dumps, write_atomically
from revops_ma.run.reader import Run
from revops_ma.run.writer import LOCK, RunWriter, writing

REPORT = "report.html"

__all__ = [
    "CALLS",
    "FORMAT",
    "JOURNAL",
    "LINES_PER_SEGMENT",
    "LOCK",
    "MANIFEST",
    "REPORT",
    "Run",
    "RunWriter",
    "TamperedRun",
    "config_hash",
    "dumps",
    "read_turns",
    "write_atomically",
    "writing",
]
