#!/usr/bin/env bash
# Builds the programs of a fleet as a release, installs etcd from Debian where it is missing, and compares a fleet over three
# members of etcd with bare appends to the same members. Arguments as those of Benchmarks/run.sh; three runs by default.
# The figures are kept in .build/bench/fleet.json.
# BIN=DIRECTORY has popup-fleet and fleet-trial that were built elsewhere, and BROKER=FILE is such a broker;
# BENCH_FLEET="appends lone throughput" measures some of it only.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../Scripts/environment.sh"
# shellcheck source=Benchmarks/compile.sh
source Benchmarks/compile.sh

# It starts its own members: the service of the package is not needed.
[ -x /usr/bin/etcd ] || RUNLEVEL=1 Scripts/install-dependencies.sh etcd-server
Scripts/install-dependencies.sh libnghttp2-dev

compile append libnghttp2 Benchmarks/load/append.c
if [ -z "${BIN:-}" ]; then
    for program in popup-fleet fleet-trial; do swift build -c release --package-path Fleet --product "$program"; done
    BIN=$(swift build -c release --package-path Fleet --show-bin-path)
fi
for program in popup-fleet fleet-trial; do
    [ -x "$BIN/$program" ] || { printf 'fleet: there is no %s\n' "$BIN/$program" >&2; exit 69; }
done
results=$built/fleet.json
for argument; do [ "$argument" != --quick ] || results=$built/quick.json; done
exec Benchmarks/run.sh --only fleet --fleet "$BIN" --runs "${RUNS:-3}" --results "$results" "$@"
