#!/usr/bin/env bash
# Plays the whole story, each role a process of its own, and tells at the end what was shown when and why.
#
# With POPUP_BROKER_INGRESS and POPUP_BROKER_EGRESS set it uses that broker, else it starts one on free ports.
# BIN is the folder of the built programs (default: what `swift build` makes), CANCEL_AFTER the ms after which the customer
# cancels, SUMMARY=no leaves out what stands at the end, RUN is what the popups' ids begin with.
set -euo pipefail
cd "$(dirname "$0")/../.."
BIN=${BIN:-$(swift build --show-bin-path)}

work=$(mktemp -d)
children=()
cleanup() {
    for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Waits until a file has a line that begins so, while the process that writes it lives.
await() { # FILE BEGINNING PROCESS
    until grep -q "^$2" "$1" 2>/dev/null; do
        if ! kill -0 "$3" 2>/dev/null; then
            cat "$1" "$work"/*.err >&2 2>/dev/null || true
            echo "run.sh: a program ended before \`$2\`; its words stand above" >&2
            exit 70
        fi
        sleep 0.02
    done
}

if [ -n "${POPUP_BROKER_INGRESS:-}" ]; then
    # An id names a popup once in a broker's life, and this may not be its first story.
    RUN=${RUN-s$$-}
else
    RUN=
    "$BIN/popup-broker" run --ingress 'tcp://127.0.0.1:*' --egress 'tcp://127.0.0.1:*' --log-level warning \
        >"$work/broker" 2>"$work/broker.err" &
    children+=($!)
    await "$work/broker" "popup-broker ready" $!
    POPUP_BROKER_INGRESS=$(sed -n 's/^popup-broker ready.* ingress=\([^ ]*\).*/\1/p' "$work/broker")
    POPUP_BROKER_EGRESS=$(sed -n 's/^popup-broker ready.* egress=\([^ ]*\).*/\1/p' "$work/broker")
    export POPUP_BROKER_INGRESS POPUP_BROKER_EGRESS
fi

"$BIN/event-summary" --group 'freight/*' --until "${RUN}order-cancelled" --for 40s >"$work/summary" 2>"$work/listening" &
summary=$!
children+=("$summary")
await "$work/listening" "event-summary: listening" "$summary"

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
echo
echo "What was shown when and why"
echo
cat "$work/summary"
exit "$failed"
