# `make` says what there is to make. Set PYTHON to use another interpreter than that of .venv.
PYTHON ?= .venv/bin/python

.PHONY: help
help:  ## say what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/bin/python:
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[dev]'

.PHONY: dev
dev: .venv/bin/python  ## make a virtual environment with the package, editable, and all tools

.PHONY: check
check: lint format-check types size generated test  ## all that must hold before a commit

.PHONY: check-fast
check-fast: lint format-check types  ## lint, types, and the tests of what changed, in two minutes
	tests=$$($(PYTHON) -m tools.changed_tests) && $(PYTHON) -m pytest -q -n auto -m 'not slow' $$tests

.PHONY: soak
soak:  ## hours: deep programs, many new random ones, other Pythons and numpys
	.ci/soak

.PHONY: lock
lock:  ## write anew which versions .ci/run takes
	.ci/lock

.PHONY: lint
lint:  ## look for mistakes
	$(PYTHON) -m ruff check .

.PHONY: lint-js
lint-js:  ## look for mistakes in the script of the interactive page; takes npm
	cd tools/javascript && npm ci --silent --no-audit --no-fund && npm run --silent lint

.PHONY: lint-c
lint-c:  ## look for mistakes in the compiled core; takes a compiler
	for file in relayish/_kernel/*.c; do \
	    $${CC:-cc} -std=c11 -O2 -Wall -Wextra -Wno-missing-field-initializers -Werror -c -o /dev/null $$file \
	        -I"$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')" || exit 1; done

.PHONY: format
format:  ## lay the code out
	$(PYTHON) -m ruff format .

.PHONY: format-check
format-check:  ## is the code laid out?
	$(PYTHON) -m ruff format --check .

.PHONY: types
types:  ## check the types, also of what the documentation shows
	$(PYTHON) -m mypy
	$(PYTHON) -m mypy --follow-imports=silent $$($(PYTHON) -m tools.stubs)  # of which it has seen the stubs
	$(PYTHON) -m pyright
	$(PYTHON) -m tools.check_docs

.PHONY: size
size:  ## does each package keep within its budget of lines?
	$(PYTHON) -m tools.size --check

.PHONY: generate
generate:  ## write the generated files: stubs and pages of docs
	$(PYTHON) -m tools.generate

.PHONY: generated
generated:  ## are the generated files what is generated?
	$(PYTHON) -m tools.generate --check

.PHONY: test
test:  ## run the tests, documentation included
	$(PYTHON) -m pytest -q -n auto

.PHONY: core
core: .venv/bin/python  ## compile the core anew, in place, and say whether it is in use
	$(PYTHON) -m pip install -q --no-deps -e .
	$(PYTHON) -m relayish --version

.PHONY: test-pure
test-pure:  ## run those tests in pure Python that the compiled core could make a difference to
	RELAYISH_PURE=1 $(PYTHON) -m pytest -q -n auto tests/kernel tests/functor tests/ir tests/analysis

.PHONY: docs
docs:  ## run the examples of the documentation only
	$(PYTHON) -m pytest -q tests/test_docs.py

.PHONY: changes
changes:  ## show the changes since the last release, as CHANGELOG.md will tell them
	$(PYTHON) -m towncrier build --draft

.PHONY: dist
dist:  ## build sdist and wheel into dist/, check them, try the wheel; takes .[release]
	$(PYTHON) -m tools.release --build dist

.PHONY: site
site:  ## build the documentation as a site, in site/, and check it; takes .[docs]
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict
	$(PYTHON) -m tools.site_check site

.PHONY: hooks
hooks:  ## run the checks before each commit, the tests before each push
	$(PYTHON) -m pre_commit install

.PHONY: decisions
decisions:  ## measure again what the decisions in docs/adr rest on
	for script in node_representation dispatch depth operand_lists states; do \
	    $(PYTHON) bench/decisions/$$script.py || exit 1; done

.PHONY: ci
ci:  ## what .ci/run does: everything, from nothing
	.ci/run
