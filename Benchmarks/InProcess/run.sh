#!/usr/bin/env bash
# Builds `hot-path` (as a release) and counts with it, or measures how the scheduler grows. Arguments go to counts.py
# (`--pieces show relay-state`, `--profile 30`, `--update`); with `--scale` alone it is `hot-path scale`.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../../Scripts/environment.sh"

build() {
    swift build -c release --product hot-path >&2
    program=$(swift build -c release --show-bin-path)/hot-path
    readonly program
}

if [ "${1:-}" = --scale ]; then
    build
    exec "$program" scale
fi
Scripts/install-dependencies.sh valgrind libc6-dbg binutils
build
exec python3 Benchmarks/InProcess/counts.py --program "$program" "$@"
