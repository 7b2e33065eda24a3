#!/usr/bin/env bash
# Plays the whole story, each role a process of its own, and tells at the end what was shown when and why.
#
# With POPUP_BROKER_INGRESS and POPUP_BROKER_EGRESS set it uses that broker, else it starts one on free ports.
# BIN is the directory of the built programs (default: what `swift build` makes), CANCEL_AFTER the ms after which the customer
# cancels, SUMMARY=no leaves out what stands at the end, RUN is what the popups' ids begin with.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Examples/support/story.sh
source Examples/support/story.sh

take_notes --group 'freight/*' --until "${RUN}order-cancelled" --for 40s

role() {
    "$BIN/freight-negotiation" "$1" --run "$RUN" "${@:2}" &
    children+=($!)
    roles+=($!)
}
roles=()

# Two loads, each bargained over by itself; notices that disturb nobody; a customer who cancels.
role shipper --load milano --limit 1150 --reading 700
role shipper --load lyon --limit 700 --reading 900
role office --every 1300 --duration 1000
role carrier --load milano --name anna --price 1400 --floor 1200
role carrier --load milano --name bo --price 1300 --floor 1100 --after 400
role carrier --load lyon --name cem --price 1500 --floor 1000 --step 50
role carrier --load lyon --name dana --price 1450 --floor 1000 --step 50 --after 700
role customer --load lyon --after "${CANCEL_AFTER:-7000}"

failed=0
for process in "${roles[@]}"; do wait "$process" || failed=1; done
wait "$summary" || failed=1

[ "${SUMMARY:-yes}" = yes ] || exit "$failed"
tell_summary
exit "$failed"
