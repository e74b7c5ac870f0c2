# make run    installs what is missing, and starts Dyno
# make desktop  puts Dyno among the applications of this desktop
# make test   installs what the tests need, and passes them; make full: the long ones too
# make bench  measures Dyno itself (docs/benchmarks.md)
# make screenshots  makes the pictures of docs/ anew
# make lint   style and types only

BIN = .venv/bin

.DEFAULT_GOAL = help
.PHONY: help run desktop test full bench screenshots lint

help:
	@sed -n 's/^# //p' Makefile

run:
	@sh install.sh run
	@if $(BIN)/python -m ui.display; then $(BIN)/dyno; else $(BIN)/dyno run --duel; fi

desktop:
	@sh install.sh run
	@sh install.sh desktop

test:
	@sh install.sh test
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m tests.builds mysql-5.6 mysql-9.7 || test "$$CI" != true
	$(BIN)/pytest -m "not full"

full:
	@sh install.sh full
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m tests.builds mysql-5.6 mysql-9.7 mysql-5.6-full \
		mysql-5.5 mysql-5.7 mariadb-10.2 mariadb-11.4 mariadb-11.8 || test "$$CI" != true
	$(BIN)/pytest

bench:
	@sh install.sh test
	$(BIN)/python -m tests.bench

screenshots:
	@sh install.sh test
	$(BIN)/python -m tests.screenshots

lint:
	@sh install.sh lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
