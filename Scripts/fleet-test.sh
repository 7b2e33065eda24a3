#!/usr/bin/env bash
# Builds what a fleet needs, and tests it with real members of etcd on loopback, which are installed if they are missing:
# first the log in etcd, then nodes and brokers of which some are killed, stopped and cut off.
#
# ROUNDS   how many faults the processes have to stand (30: each once)
# SEED     repeats their choice
# SLACK    a factor for the limits of take-overs (3), for a machine that is slow or busy with other things; 1 on a quiet one.
#          With 4, a hand-over might take as long as the end of a lease.
set -euo pipefail
# shellcheck source=Scripts/fleet-environment.sh
source "$(dirname "$0")/fleet-environment.sh"

compile --package-path Fleet --build-tests
run_built_tests 40m --package-path Fleet
Tests/Checks/25-licenses Fleet
set_fleet_programs
python3 -B Fleet/Tests/Processes/test_checker.py
python3 -B Fleet/Tests/Processes/test_arguments.py
export SLACK=${SLACK:-3}
echo "fleet-test: take-overs and hand-overs may take $SLACK times as long as on a quiet machine (SLACK)"
run_fleet_rounds "${ROUNDS:-30}" "${SEED:-}"
python3 -B Fleet/Tests/Processes/test_transfer.py
python3 -B Fleet/Tests/Processes/test_operators.py
python3 -B Fleet/Tests/Processes/test_certificates.py
python3 -B Fleet/Tests/Processes/test_engines.py
Scripts/fleet-manifests.sh
