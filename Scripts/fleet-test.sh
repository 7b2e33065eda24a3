#!/usr/bin/env bash
# Builds what a fleet needs, and tests it with real members of etcd on loopback, which are installed if they are missing:
# first the log in etcd, then nodes and brokers of which some are killed, stopped and cut off.
#
# ROUNDS   how many faults the processes have to stand (27: each once)
# SEED     repeats their choice
set -euo pipefail
# shellcheck source=Scripts/fleet-environment.sh
source "$(dirname "$0")/fleet-environment.sh"

swift build --package-path Fleet --build-tests
swift test --package-path Fleet --skip-build
set_fleet_programs
run_fleet_rounds "${ROUNDS:-27}" "${SEED:-}"
python3 -B Fleet/Tests/Processes/test_transfer.py
python3 -B Fleet/Tests/Processes/test_operators.py
