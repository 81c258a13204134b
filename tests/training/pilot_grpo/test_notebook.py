"""The notebook for a GPU runs to its end with the tiny model in place of the large one."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat")

pytestmark = [pytest.mark.grpo, pytest.mark.slow]
NOTEBOOK = Path(__file__).parents[3] / "scripts" / "train_colab.ipynb"
SETTINGS = """
MODEL, OUT = "tiny", {out!r}
ROLLOUTS, GROUPS, COPIES, ROWS, MICROBATCH = 2, 2, 2, 64, 16
CLONE_GAMES, VALIDATION_GAMES = 20, 4
"""


def test_the_notebook_runs(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    cells = []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "install" in tags:
            continue
        if "settings" in tags:
            cell.source = SETTINGS.format(out=str(tmp_path / "run"))
        cells.append(cell)
    notebook.cells = cells
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    assert (tmp_path / "run" / "best" / "model.safetensors").is_file()
