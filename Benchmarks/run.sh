#!/usr/bin/env bash
# Builds the yardstick, the load and the broker (as a release), and compares. Arguments go to bench.py: `--runs 9`.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../Scripts/environment.sh"

readonly built=.build/bench
mkdir -p "$built"
for program in relay load; do
    # shellcheck disable=SC2046  # several flags
    cc -std=gnu11 -O2 -Wall -Wextra -Werror $(pkg-config --cflags libzmq) -o "$built/$program" \
        "Benchmarks/$program.c" $(pkg-config --libs libzmq)
done
swift build -c release --product popup-broker

exec python3 Benchmarks/bench.py --folder "$built" --relay "$built/relay" --load "$built/load" \
    --broker "$(swift build -c release --show-bin-path)/popup-broker" "$@"
