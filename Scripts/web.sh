#!/usr/bin/env bash
# Popups in a browser: starts a broker, a gateway and the demo's producers, and prints the addresses of the pages. Ctrl-C
# ends all of it.
#
# PORT           the gateway's port (default: 8570, or a free one if that is taken)
# BIN, GATEWAY   the folder of the built programs, and the gateway (default: builds them)
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

if [ -z "${BIN:-}" ]; then
    for product in popup-broker popupctl event-summary replay-producer freight-negotiation; do
        swift build --product "$product"
    done
    BIN=$(swift build --show-bin-path)
fi
if [ -z "${GATEWAY:-}" ]; then
    swift build --package-path Gateway --product popup-gateway
    GATEWAY=$(swift build --package-path Gateway --show-bin-path)/popup-gateway
fi
export BIN

# --- What is started is ended ----------------------------------------------------------------------------------------

work=$(mktemp -d)
children=()
stop() {
    trap '' INT TERM HUP
    local child
    for ((index = ${#children[@]} - 1; index >= 0; index--)); do kill "${children[index]}" 2>/dev/null || true; done
    for child in "${children[@]}"; do wait "$child" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Waits until a file has a line that begins so, while the process that writes it lives.
await() { # FILE BEGINNING PROCESS
    until grep -q "^$2" "$1" 2>/dev/null; do
        if ! kill -0 "$3" 2>/dev/null; then
            cat "$1" "$1.err" >&2 || true
            echo "web: a program ended before \`$2\`; its words stand above" >&2
            exit 70
        fi
        sleep 0.02
    done
}

is_taken() { # PORT
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# --- The broker and its gateway --------------------------------------------------------------------------------------

"$BIN/popup-broker" run --ingress 'tcp://127.0.0.1:*' --egress 'tcp://127.0.0.1:*' --data-dir "$work/data" \
    --log-level error >"$work/broker" 2>"$work/broker.err" </dev/null &
children+=($!)
await "$work/broker" "popup-broker ready" $!
POPUP_BROKER_INGRESS=$(sed -n 's/^popup-broker ready.* ingress=\([^ ]*\).*/\1/p' "$work/broker")
POPUP_BROKER_EGRESS=$(sed -n 's/^popup-broker ready.* egress=\([^ ]*\).*/\1/p' "$work/broker")
export POPUP_BROKER_INGRESS POPUP_BROKER_EGRESS

# A token for this run alone, with every right.
"$GATEWAY" token new --name demo >"$work/token"
token=$(sed -n 's/^token: //p' "$work/token")
printf 'tokens:\n  - name: demo\n    sha256: %s\n    may: {show: ["*"], update: ["*"], dismiss: ["*"], watch: ["*"], render: ["*"], events: ["*"], query: ["*"], control: ["*"]}\n' \
    "$(sed -n 's/.*sha256: //p' "$work/token")" >"$work/tokens.yaml"

port=${PORT:-8570}
if [ -z "${PORT:-}" ] && is_taken "$port"; then port=0; fi
POPUP_GATEWAY_DRAINMS=200 POPUP_GATEWAY_WHATIF_DATADIRECTORY=$work/data \
    POPUP_GATEWAY_WHATIF_PROGRAM=$BIN/popup-broker "$GATEWAY" run --listen "127.0.0.1:$port" --admin 127.0.0.1:0 --tokens "$work/tokens.yaml" \
    >"$work/gateway" 2>"$work/gateway.err" </dev/null &
children+=($!)
await "$work/gateway" "popup-gateway ready" $!
address=$(sed -n 's/^popup-gateway ready.* http=\([^ ]*\).*/\1/p' "$work/gateway")

# --- Producers, and what a person needs to know ----------------------------------------------------------------------

"$BIN/replay-producer" --quiet --loop 100000 Examples/replay-producer/lobby.jsonl >/dev/null 2>&1 </dev/null &
children+=($!)

cat <<END
Dashboard:  $address/#token=$token
A screen:   $address/overlay?group=demo/lobby&group=freight/*&mode=render&extend=1#token=$token
A producer: curl -H 'Authorization: Bearer $token' -d 'Two cups' '$address/v1/show/demo/lobby?title=Tea&priority=4&duration=20s'
Ctrl-C ends it.
END

# Carriers bargain over two loads, again and again.
for ((round = 1; ; round++)); do
    SUMMARY=no RUN="round-$round-" Examples/freight-negotiation/run.sh >/dev/null 2>&1 </dev/null &
    story=$!
    children+=("$story")
    wait "$story" || true
    unset 'children[-1]'
done
