"""How an agent decides. One module per kind of card; each has `make` and `can_sit`."""
