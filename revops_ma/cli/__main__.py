"""`python -m revops_ma.cli` is `revops-ma`."""

from revops_ma.cli import main

main()
