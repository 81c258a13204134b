BIN ?= .venv/bin

.PHONY: check lint types layers tests nightly format

check: lint types layers tests

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/ty check

layers:
	$(BIN)/lint-imports

tests:
	$(BIN)/pytest -n 2 -m "not slow"

nightly:
	$(BIN)/pytest -n 2

format:
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
