#!/usr/bin/env bash
# Kills broker, producers and renderers at random moments under load, ROUNDS times (200 unless told otherwise) with each
# durability that keeps something, and stops a broker for STOP_SECONDS (30). SEED determines whom and when; drawn and
# printed unless told. Ends with 0 when nothing was lost and nothing shown after its end.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

POPUP_ROUNDS=${ROUNDS:-200}
POPUP_SEED=${SEED:-$RANDOM}
POPUP_STOP_SECONDS=${STOP_SECONDS:-30}
export POPUP_ROUNDS POPUP_SEED POPUP_STOP_SECONDS
printf '%s rounds; again: make survive ROUNDS=%s SEED=%s\n' "$POPUP_ROUNDS" "$POPUP_ROUNDS" "$POPUP_SEED"

swift build --build-tests
swift test --skip-build --filter 'ProcessTests.(KillTests|StoppedBrokerTests|SlowSubscriberTests|ReconnectionTests)' \
    --filter 'ProcessTests.(DamagedFolderTests|ReadOnlyTests)'
