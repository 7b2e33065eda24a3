#!/usr/bin/env bash
# Builds the gateway as a release, installs what it is compared with from Debian where it is missing, and compares. What can't
# be installed is left out, with a word about it. Arguments as those of Benchmarks/run.sh; three runs by default.
# GATEWAY=FILE and BROKER=FILE take programs that were built elsewhere; BENCH_GATEWAY="fan_out posts" measures some rows only.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../Scripts/environment.sh"
# shellcheck source=Benchmarks/compile.sh
source Benchmarks/compile.sh

# 10,000 streams and their readers. A program that raises its own limit finds this one.
ulimit -n 100000 2>/dev/null || ulimit -n "$(ulimit -Hn)"
if [ "$(ulimit -n)" -lt 12000 ]; then
    echo "gateway: a process may have only $(ulimit -n) open files here; 12,000 are needed (\`ulimit -Hn\`)" >&2
    exit 69
fi

for package in libnginx-mod-nchan pushpin wrk; do
    Scripts/install-dependencies.sh "$package" || echo "gateway: $package could not be installed" >&2
done

compile load-streams libzmq Benchmarks/load/streams.c
compile stream-relay libzmq Benchmarks/load/stream-relay.c
if [ -z "${GATEWAY:-}" ]; then
    swift build -c release --package-path Gateway --product popup-gateway
    GATEWAY="$(swift build -c release --package-path Gateway --show-bin-path)/popup-gateway"
fi
exec Benchmarks/run.sh --only gateway --gateway "$GATEWAY" --runs "${RUNS:-3}" "$@"
