#!/usr/bin/env bash
# Builds what a fleet needs, and tests it with real members of etcd on loopback, which are installed if they are missing:
# first the log in etcd, then nodes and brokers of which some are killed and stopped.
#
# ROUNDS   how many faults the processes have to stand (10)
# SEED     repeats their choice
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

if ! { [ -x /usr/bin/etcd ] && [ -x /usr/bin/etcdctl ]; }; then
    # The tests start their own members: the service of the package is not needed.
    RUNLEVEL=1 Scripts/install-dependencies.sh etcd-server etcd-client openssl
fi
swift build --package-path Fleet --build-tests
swift test --package-path Fleet --skip-build
programs=$(swift build --package-path Fleet --show-bin-path)
export FLEET_TRIAL=$programs/fleet-trial POPUP_FLEET=$programs/popup-fleet ROUNDS=${ROUNDS:-} SEED=${SEED:-}
python3 -B Fleet/Tests/Processes/test_fleet.py
for program in popup-broker popupctl; do swift build --product "$program"; done
programs=$(swift build --show-bin-path)
export POPUP_BROKER=$programs/popup-broker POPUPCTL=$programs/popupctl
python3 -B Fleet/Tests/Processes/test_broker.py
python3 -B Fleet/Tests/Processes/test_transfer.py
python3 -B Fleet/Tests/Processes/test_operators.py
