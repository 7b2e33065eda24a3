#!/usr/bin/env bash
# Builds everything once and runs every check: the Swift tests, then each executable of Tests/Checks in the order of its
# name (pyzmq clients, scripts that drive the built binaries, …). Ends with the first that fails.
#
# What a check gets: the package's folder as the current one, and BIN, the folder of the built binaries.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

swift build --build-tests
BIN=$(swift build --show-bin-path)
export BIN

# First what waits for nothing and keeps every core busy; then what waits for sockets and processes: beside the others it
# would wait for a core, too, until its time is over.
readonly busy='^(PopupSchedulingTests|BrokerSimulationTests)\.'
swift test --skip-build --filter "$busy"
swift test --skip-build --skip "$busy"

shopt -s nullglob
for check in Tests/Checks/*; do
    if [ -f "$check" ] && [ -x "$check" ]; then
        printf '== %s\n' "$check"
        "$check"
    fi
done
