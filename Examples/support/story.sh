# What the scripts of the stories share; they source it. It starts a broker, or takes the one of POPUP_BROKER_INGRESS and
# POPUP_BROKER_EGRESS, and ends whatever was started.
#
# BIN is the directory of the built programs (default: what `swift build` makes), RUN what the popups' ids begin with.
# shellcheck shell=bash
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
    "$BIN/popup-broker" run --ingress 'tcp://127.0.0.1:*' --egress 'tcp://127.0.0.1:*' --durability memory \
        --log-level warning \
        >"$work/broker" 2>"$work/broker.err" </dev/null &
    children+=($!)
    await "$work/broker" "popup-broker ready" $!
    POPUP_BROKER_INGRESS=$(sed -n 's/^popup-broker ready.* ingress=\([^ ]*\).*/\1/p' "$work/broker")
    POPUP_BROKER_EGRESS=$(sed -n 's/^popup-broker ready.* egress=\([^ ]*\).*/\1/p' "$work/broker")
    export POPUP_BROKER_INGRESS POPUP_BROKER_EGRESS
fi

# Takes notes of what is shown when and why, into $work/summary; its process is $summary.
take_notes() { # OPTION…
    "$BIN/event-summary" "$@" >"$work/summary" 2>"$work/listening" </dev/null &
    summary=$!
    children+=("$summary")
    await "$work/listening" "event-summary: listening" "$summary"
}

tell_summary() {
    echo
    echo "What was shown when and why"
    echo
    cat "$work/summary"
}
