import json

import pytest

from revops_ma.cli import main


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def document(self):
        return json.loads(self.out)


@pytest.fixture
def run(capsys):
    """Run a command line in this process: exit code, stdout, stderr."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Ran(ended.value.code, said.out, said.err)

    return call
