#!/usr/bin/env bash
# Builds the relay, the load and the broker (as a release), and compares. Arguments: `Benchmarks/run.sh --help`.
# BROKER=FILE takes a broker that was built elsewhere.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../Scripts/environment.sh"
# shellcheck source=Benchmarks/compile.sh
source Benchmarks/compile.sh

compile relay libzmq Benchmarks/load/relay.c
compile load-zeromq libzmq Benchmarks/load/zeromq.c Benchmarks/load/harness.c
compile load-disk libzmq Benchmarks/load/disk.c
compile load-timers libzmq Benchmarks/load/timers.c
compile load-waiting libzmq Benchmarks/load/waiting.c
if [ -z "${BROKER:-}" ]; then
    swift build -c release --product popup-broker
    BROKER="$(swift build -c release --show-bin-path)/popup-broker"
fi

export PYTHONPATH=Benchmarks PYTHONDONTWRITEBYTECODE=1
exec python3 -m bench --built "$built" --broker "$BROKER" "$@"
