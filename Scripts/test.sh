#!/usr/bin/env bash
# Builds everything once and runs every check: the Swift tests, then each executable of Tests/Checks in the order of its
# name (pyzmq clients, scripts that drive the built binaries, …). Ends with the first that fails.
#
# What a check gets: the package's folder as the current one, and BIN, the folder of the built binaries. A check that needs a
# tool which this machine lacks installs it (Scripts/tools.sh). What it cannot do without one is said once more at the end;
# with REQUIRE_TOOLS=yes it is a failure.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

compile --build-tests
printf 'test: built after %d s\n' "$SECONDS"
BIN=$(swift build --show-bin-path)
export BIN

# First what waits for nothing and keeps every core busy; then what waits for sockets and processes: beside the others it
# would wait for a core, too, until its time is over.
#
# What failed is said once more at the end: it stands between some thousand lines of other tests.
run_tests() { # ARGUMENT…
    local status=0
    run_built_tests "$limit" "$@" 2>&1 | tee "$output" || status=$?
    if [ "$status" -eq 124 ]; then
        printf 'test: not over after %s: a test hangs; those that started above and did not end may be it\n' "$limit" >&2
    fi
    if [ "$status" -ne 0 ]; then
        printf 'test: what failed, of all that stands above:\n' >&2
        grep --text --after-context=4 '^✘\|: error: \|Fatal error' "$output" | head -200 >&2 || true
    fi
    return "$status"
}

output=$(mktemp)
SKIPPED=$(mktemp)
readonly output SKIPPED
export SKIPPED
trap 'rm -f "$output" "$SKIPPED"' EXIT
readonly limit=20m
readonly busy='^(PopupSchedulingTests|BrokerSimulationTests)\.'
run_tests --filter "$busy"
run_tests --skip "$busy"
printf 'test: the Swift tests ended after %d s\n' "$SECONDS"

shopt -s nullglob
for check in Tests/Checks/*; do
    if [ -f "$check" ] && [ -x "$check" ]; then
        printf '== %s\n' "$check"
        began=$SECONDS
        "$check"
        printf '== %s took %d s\n' "$check" $((SECONDS - began))
    fi
done
if [ -s "$SKIPPED" ]; then
    printf 'test: all that was run passed; what was not run, since this machine lacks a tool:\n' >&2
    cat "$SKIPPED" >&2
fi
