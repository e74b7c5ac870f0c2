# make run    installs what is missing, and starts Dyno
# make desktop  puts Dyno among the applications of this desktop
# make test   installs what the tests need, and passes them; make full: the long ones too
# make coverage  which lines and branches the tests carry out, the agent's too
# make fuzz   gives each reader damaged input for ten minutes; SECONDS=60: for one
# make bench  measures Dyno itself (docs/measured/benchmarks.md)
# make screenshots  makes the pictures of docs/ anew
# make story  measures what docs/story tells, and writes its tables anew
# make packages  wheel, sdist, .deb and a file that starts without root, in dist/
# make words  app/cli/words.txt and ui/shell/actions.txt anew, after a word, option or action has changed
# make lint   style and types only
# make update  locks the newest Python packages that setup.cfg allows, and passes the tests with them; once a month

BIN = .venv/bin
WORKERS = -n 5 --dist=loadgroup --no-loadscope-reorder --max-worker-restart=0
PYTEST = $(BIN)/pytest $(WORKERS) --durations=15 --cache-clear
COMPILE = $(PYTEST) -n 0 --collect-only -q >/dev/null 2>&1 # once: else each worker does
LINT_AND_TESTS = $(MAKE) --no-print-directory -j2 lint tests
AGAIN = test $$? = 1 && $(BIN)/python -m tests.running.again $(WORKERS)
LOCK = $(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate --no-header setup.cfg -
BUILDS = mysql-5.6 mysql-9.7
MORE_BUILDS = mysql-5.6-full mysql-5.5 mysql-5.7 mysql-8.0 mariadb-10.2 mariadb-11.4 mariadb-11.8

.DEFAULT_GOAL = help
.PHONY: help run desktop test tests full coverage fuzz bench screenshots story packages words lint update

help:
	@sed -n 's/^# //p' Makefile

run:
	@sh install.sh run
	@if $(BIN)/python -m ui.core.display; then $(BIN)/dyno; else $(BIN)/dyno run --duel; fi

desktop:
	@sh install.sh run
	@sh install.sh desktop

test:
	@sh install.sh $(if $(TWENTIETH),full,test)
	@$(BIN)/python -m tests.running.builds $(BUILDS) $(if $(TWENTIETH),$(MORE_BUILDS)) || test "$$CI" != true
	@$(LINT_AND_TESTS) CHOSEN='$(if $(TWENTIETH),--twentieth=$(TWENTIETH),-m "not full")'

full:
	@sh install.sh full
	@$(BIN)/python -m tests.running.builds $(BUILDS) $(MORE_BUILDS) || test "$$CI" != true
	@$(LINT_AND_TESTS) CHOSEN='-m "not alone"'
	$(BIN)/pytest -m alone

tests:
	@$(COMPILE)
	$(PYTEST) $(CHOSEN) || { $(AGAIN); }

coverage:
	@sh install.sh test
	$(BIN)/python -m tests.running.covered coverage $(WORKERS) -m "not full"

fuzz:
	@sh install.sh test
	@$(BIN)/python -m pip install -q --disable-pip-version-check atheris || echo "going on without atheris"
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),600)

bench:
	@sh install.sh test
	$(BIN)/python -m tests.bench

story:
	@sh install.sh test
	$(BIN)/python -m tests.story measure

screenshots:
	@sh install.sh full
	$(BIN)/python -m tests.screenshots

packages:
	@sh install.sh lint
	sh packages/make.sh

words:
	@$(BIN)/python -c "from app.cli.word_table import write_word_table; write_word_table()"
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -c "from ui.shell.action_table import write_action_table; write_action_table()"

lint:
	@sh install.sh lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

update:
	@sh install.sh lint
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv
	echo "setuptools>=77" | $(LOCK) --extra window -o requirements.txt
	echo "setuptools>=77" | $(LOCK) --extra window --extra dev -c requirements.txt -o requirements-dev.txt
	@$(MAKE) --no-print-directory test
