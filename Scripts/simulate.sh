#!/usr/bin/env bash
# Runs the simulation on SEEDS seeds from FIRST on (100 from 1 unless told otherwise). Ends with 0 when nothing was found;
# else each failing seed is told with the shortest script that fails, as a test to keep.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

POPUP_SEEDS=${SEEDS:-100}
POPUP_FIRST_SEED=${FIRST:-1}
export POPUP_SEEDS POPUP_FIRST_SEED
printf 'simulating %s seeds from %s on; again: make simulate SEEDS=%s FIRST=%s\n' \
    "$POPUP_SEEDS" "$POPUP_FIRST_SEED" "$POPUP_SEEDS" "$POPUP_FIRST_SEED"

swift build --build-tests
swift test --skip-build --filter BrokerSimulationTests.SimulationTests
