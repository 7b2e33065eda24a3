#!/usr/bin/env bash
# Producers compete for several screens through a real broker, for about 20 seconds; then a summary of what was shown when
# and why. On a terminal two renderers stand side by side with the producers' words beneath; elsewhere all of it is lines.
#
# DEMO_SECONDS   how long (default: 20)
# BIN            the folder of the built programs (default: builds them)
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

readonly seconds=${DEMO_SECONDS:-20}
readonly left=demo/lobby right=freight/lyon/offers

if [ -z "${BIN:-}" ]; then
    swift build
    BIN=$(swift build --show-bin-path)
fi
export BIN

# --- What is started is ended ----------------------------------------------------------------------------------------

work=$(mktemp -d)
children=()
stop() {
    for child in "$@"; do kill "$child" 2>/dev/null || true; done
    for child in "$@"; do wait "$child" 2>/dev/null || true; done
}
trap 'stop "${children[@]}"; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Waits until a file has a line that begins so, while the process that writes it lives.
await() { # FILE BEGINNING PROCESS
    until grep -q "^$2" "$1" 2>/dev/null; do
        if ! kill -0 "$3" 2>/dev/null; then
            cat "$1" "$work"/*.err >&2 2>/dev/null || true
            echo "demo: a program ended before \`$2\`; its words stand above" >&2
            exit 70
        fi
        sleep 0.02
    done
}

# --- The broker, on free ports, and who takes notes ------------------------------------------------------------------

"$BIN/popup-broker" run --ingress 'tcp://127.0.0.1:*' --egress 'tcp://127.0.0.1:*' --durability memory \
    --log-level warning \
    >"$work/broker" 2>"$work/broker.err" </dev/null &
children+=($!)
await "$work/broker" "popup-broker ready" $!
POPUP_BROKER_INGRESS=$(sed -n 's/^popup-broker ready.* ingress=\([^ ]*\).*/\1/p' "$work/broker")
POPUP_BROKER_EGRESS=$(sed -n 's/^popup-broker ready.* egress=\([^ ]*\).*/\1/p' "$work/broker")
export POPUP_BROKER_INGRESS POPUP_BROKER_EGRESS

"$BIN/event-summary" >"$work/summary" 2>"$work/listening" </dev/null &
summary=$!
children+=("$summary")
await "$work/listening" "event-summary: listening" "$summary"

# --- Producers -------------------------------------------------------------------------------------------------------

producers=()
produce() {
    "$@" >>"$log" 2>&1 </dev/null &
    children+=($!)
    producers+=($!)
}

# A real build, of a small program with a mistake in it, whose messages become popups in the lobby. It is no part of the
# `make` that started the demo: it has neither its flags nor its numbered name.
write_project() {
    mkdir "$work/project"
    printf 'int weight(int pallets) {\n    int unused;\n    return pallets * 400;\n}\n' >"$work/project/weight.c"
    printf 'int main(void) {\n    return weihgt(12);\n}\n' >"$work/project/main.c"
    printf 'all: weight.o main.o\n%%.o: %%.c\n\t@sleep 3\n\tcc -Wall -Werror=implicit-function-declaration -c $<\n' \
        >"$work/project/Makefile"
    sed "s|^  group: .*|  group: $left|" Examples/line-producer/rules/build.yaml >"$work/rules.yaml"
}

start_producers() {
    write_project
    produce "$BIN/replay-producer" Examples/replay-producer/lobby.jsonl
    produce "$BIN/line-producer" --rules "$work/rules.yaml" --name build --echo -- \
        env -u MAKEFLAGS -u MAKELEVEL make -C "$work/project"
    produce env SUMMARY=no RUN= CANCEL_AFTER=$((seconds * 700)) Examples/freight-negotiation/run.sh
    if python3 -c 'import zmq' 2>/dev/null; then
        produce python3 Examples/python/producer.py "$left" "Python says hello with nothing but pyzmq." 4 2500
    fi
}

# --- Screens ---------------------------------------------------------------------------------------------------------

# Not a function: in the background that would be a shell, whose end is not the renderer's.
readonly render=("$BIN/terminal-renderer" --for "${seconds}s" --auto-answer coming --after 2000)

if [ -t 0 ] && [ -t 1 ]; then
    log=$work/log
    : >"$log"
    start_producers
    "${render[@]}" --group "$left" --group "$right" --tail "$log"
else
    log=/dev/stdout
    "${render[@]}" --lines --group "$left" </dev/null &
    children+=($!)
    screens=($!)
    "${render[@]}" --lines --group "$right" </dev/null &
    children+=($!)
    screens+=($!)
    start_producers
    wait "${screens[@]}"
fi

stop "${producers[@]}" "$summary"
printf '\nWhat was shown when and why, on all screens\n\n'
cat "$work/summary"
