#!/usr/bin/env bash
# Attacks a broker (a release build) from outside, a good client beside it, and prints what each attack did to both:
# ATTACK="name …" only those attacks or families (all; `--list` names them), SEED (1), SHORT=yes smaller and faster. All numbers are in
# .build/attack/results.json, the log of a broker that did not hold beside it. Ends with 0 when every bound held.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

swift build -c release --product popup-broker
BIN=$(swift build -c release --show-bin-path)
export BIN

arguments=(--seed "${SEED:-1}" --results .build/attack/results.json)
if [ -n "${SHORT:-}" ]; then arguments+=(--short); else arguments+=(--long); fi
for name in ${ATTACK:-}; do
    arguments+=(--only "$name")
done
exec python3 -B Tests/Attack "${arguments[@]}" "$@"
