#!/usr/bin/env bash
# Plays the story: a server, an advertiser, and a screen. On a terminal you choose, with the keys that the screen names;
# elsewhere, or with CHOICES, the screen chooses by itself and tells in lines. At the end: what was shown when and why.
#
# With POPUP_BROKER_INGRESS and POPUP_BROKER_EGRESS set it uses that broker, else it starts one on free ports.
# WISHES is how many there are (default: 2), CHOICES the answers that are given where they fit ("sea confirm next share"),
# TOGETHER an order in which a wish's popups are sent all at once (s,e,r), BIN the directory of the built programs (default: what
# `swift build` makes), RUN what the popups' ids begin with.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Examples/support/story.sh
source Examples/support/story.sh

WISHES=${WISHES:-2}
choices=${CHOICES-}
screen=()
# What the roles say goes to 3: beneath the screen, or among its lines.
if [ -t 0 ] && [ -t 1 ]; then
    exec 3>"$work/log"
    screen+=(--tail "$work/log")
    limit=600
else
    exec 3>&1
    screen+=(--lines)
    choices=${choices:-sea confirm next share ok}
    limit=60
fi
for choice in $choices; do screen+=(--auto-answer "$choice"); done
screen+=(--after "${AFTER:-800}")

take_notes --group wish/well

"$BIN/terminal-renderer" --group wish/well "${screen[@]}" <&0 &
renderer=$!
children+=("$renderer")
"$BIN/wish-story" advert --run "$RUN" --at-most "$limit" >&3 2>&1 </dev/null &
children+=($!)
"$BIN/wish-story" server --run "$RUN" --at-most "$limit" --wishes "$WISHES" ${TOGETHER:+--together "$TOGETHER"} \
    >&3 2>"$work/server.err" </dev/null &
server=$!
children+=("$server")

# The last wish ends it, or the user who leaves.
failed=0
wait -n "$server" "$renderer" || failed=$?
kill "$server" "$renderer" 2>/dev/null || true
wait "$renderer" || true
kill "$summary"
wait "$summary" || true
cat "$work/server.err" >&2
tell_summary
exit "$failed"
