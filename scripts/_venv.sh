# Makes .venv if there is none and installs the project with the given extras into it.
# Sourced by the other scripts; PYTHON chooses the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

make_venv() {
    local extras=$1
    [ -x .venv/bin/python ] || "${PYTHON:-python3}" -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".$extras"
}
