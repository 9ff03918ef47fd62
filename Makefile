# Set-up, build and tests of cuter; `make help` lists the goals.
#
# Every goal makes the machine ready first (scripts/setup), once: stamps in _build/stamps say what is done.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

ENV := . scripts/env.sh &&
STAMPS := _build/stamps
SOURCES := $(shell find native src_erl -type f 2>/dev/null) $(wildcard Cargo.*) rebar.config build.sh

## build         compile the application and its NIF (_build/default/lib/cuter)
.PHONY: build
build: $(STAMPS)/build

## demo          run cuter on the example project and show the inputs that crash it
.PHONY: demo
demo: build
	@scripts/demo

## test          everything: Rust and Erlang tests, the plugin in a project, and `check`
.PHONY: test
test: check-format test-rust test-erlang test-plugin test-cli test-docs check
	@$(ENV) say "all tests and checks passed"

## test-rust     cargo test
.PHONY: test-rust
test-rust: $(STAMPS)/setup
	@$(ENV) say "cargo test"
	@cargo test --workspace

## test-erlang   rebar3 eunit and ct
.PHONY: test-erlang
test-erlang: build $(STAMPS)/test-setup
	@$(ENV) say "rebar3 eunit" && rebar3 eunit
ifneq ($(wildcard test/*_SUITE.erl),)
	@$(ENV) say "rebar3 ct" && rebar3 ct
endif

## test-plugin   `rebar3 cuter` in a user's project, by git and by _checkouts
.PHONY: test-plugin
test-plugin: build
	@scripts/test-plugin

## test-cli      `rebar3 cuter` with its options, exit codes and at a terminal
.PHONY: test-cli
test-cli: build
	@$(ENV) say "rebar3 cuter, as users call it" && scripts/test-cli

## test-docs     what README and tutorial tell to do, with the output that they show
.PHONY: test-docs
test-docs: build
	@$(ENV) say "the documents" && scripts/test-docs

## check         formatting, clippy, dialyzer, xref
.PHONY: check
check: check-format build
	@$(ENV) say "cargo clippy" && cargo clippy --workspace --all-targets -- -D warnings
	@$(ENV) say "rebar3 compile, warnings as errors" && rebar3 as check compile
	@$(ENV) say "rebar3 xref" && rebar3 xref
	@$(ENV) say "rebar3 dialyzer" && rebar3 dialyzer

## check-format  formatting alone
.PHONY: check-format
check-format:
	@$(ENV) say "formatting" && scripts/check-format && cargo fmt --all --check

## bench         benchmarks
.PHONY: bench
bench: build
	@scripts/bench

## setup         install what is missing on this machine: Erlang/OTP, rebar3, Z3
.PHONY: setup
setup: $(STAMPS)/setup

## clean         remove what was built
.PHONY: clean
clean:
	rm -rf _build target .cargo/config.toml examples/*/_build examples/*/_checkouts
	find priv -type f ! -name .gitignore -delete

.PHONY: help
help:
	@echo "make GOAL:"
	@sed -n 's/^## /  /p' $(MAKEFILE_LIST)

$(STAMPS)/setup: $(wildcard scripts/setup scripts/fetch-z3 scripts/cargo-config scripts/env.sh)
	@scripts/setup
	@mkdir -p $(@D) && touch $@

$(STAMPS)/test-setup: $(wildcard scripts/setup scripts/env.sh)
	@scripts/setup --tests
	@mkdir -p $(@D) && touch $@

$(STAMPS)/build: $(STAMPS)/setup $(SOURCES)
	@$(ENV) rebar3 compile
	@touch $@
