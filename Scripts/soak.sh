#!/usr/bin/env bash
# Keeps a broker (a release build) at half of its throughput and sees that it stays as it is: MINUTES (60) in all, with
# each of the DURABILITIES ("memory full") for its part of them. Ends with 0 when all held.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

MINUTES=${MINUTES:-60}
read -ra durabilities <<<"${DURABILITIES:-memory full}"

swift build -c release --product popup-broker
swift build -c release --product soak
BIN=$(swift build -c release --show-bin-path)

# On the disk that the package is on: others may be in memory.
work=$(mktemp -d "$PWD/.build/soak.XXXXXX")
trap 'rm -rf "$work"' EXIT
minutes=$(awk -v all="$MINUTES" -v parts="${#durabilities[@]}" 'BEGIN { print all / parts }')
for durability in "${durabilities[@]}"; do
    folder=()
    [ "$durability" = memory ] || folder=("$work/$durability")
    "$BIN/soak" "$BIN/popup-broker" "$minutes" "$durability" "${folder[@]}"
done
