#!/usr/bin/env bash
# Kills broker, producers and renderers at random moments under load, ROUNDS times (200 unless told otherwise) with each
# durability that keeps something, and stops a broker for STOP_SECONDS (30). Damages a data directory in DAMAGES ways (3000) and
# starts a broker on each, kills starts on a damaged one before START_KILLS of their calls (260), and lets the disk fail for a
# tenth of the rounds. SEED determines whom, when and what; drawn and printed unless told. Ends with 0 when nothing was lost
# without a word, nothing shown after its end, and each start was in time.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

POPUP_ROUNDS=${ROUNDS:-200}
POPUP_SEED=${SEED:-$RANDOM}
POPUP_STOP_SECONDS=${STOP_SECONDS:-30}
POPUP_DAMAGES=${DAMAGES:-3000}
POPUP_START_KILLS=${START_KILLS:-260}
export POPUP_ROUNDS POPUP_SEED POPUP_STOP_SECONDS POPUP_DAMAGES POPUP_START_KILLS
printf '%s rounds, %s damages; again: make chaos ROUNDS=%s DAMAGES=%s SEED=%s\n' \
    "$POPUP_ROUNDS" "$POPUP_DAMAGES" "$POPUP_ROUNDS" "$POPUP_DAMAGES" "$POPUP_SEED"

swift build --build-tests
swift test --skip-build --filter 'ProcessTests.(KillTests|StoppedBrokerTests|SlowSubscriberTests|ReconnectionTests)' \
    --filter 'ProcessTests.(DamagedDirectoryTests|ReadOnlyTests|AnyFileDamageTests|KilledStartTests|RemovedDirectoryTests)'
POPUP_ROUNDS=$(((POPUP_ROUNDS + 9) / 10)) swift test --skip-build --filter 'ProcessTests.FaultyDiskTests'
