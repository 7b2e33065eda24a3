#!/usr/bin/env bash
# Builds broker and gateway, and runs the gateway's tests: the pure ones, then real processes.
#
# BROKER, GATEWAY   the programs (default: builds them)
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

if [ -z "${BROKER:-}" ]; then
    swift build --product popup-broker
    BROKER=$(swift build --show-bin-path)/popup-broker
fi
if [ -z "${GATEWAY:-}" ]; then
    swift build --package-path Gateway --build-tests
    swift test --package-path Gateway --skip-build
    GATEWAY=$(swift build --package-path Gateway --show-bin-path)/popup-gateway
fi
BROKER=$BROKER GATEWAY=$GATEWAY python3 Gateway/Tests/Processes/test_gateway.py
