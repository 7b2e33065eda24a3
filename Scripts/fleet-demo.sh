#!/usr/bin/env bash
# Starts three members of etcd, which is installed if it is missing, three brokers, two screens and a producer on loopback,
# kills the broker that owns the log, and shows that the screens go on.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

if ! [ -x /usr/bin/etcd ]; then
    # The demo starts its own members: the service of the package is not needed.
    RUNLEVEL=1 Scripts/install-dependencies.sh etcd-server
fi
swift build --package-path Fleet --product popup-fleet
swift build --product popupctl
FLEET_BIN=$(swift build --package-path Fleet --show-bin-path) BIN=$(swift build --show-bin-path)
export FLEET_BIN BIN
exec python3 -B Scripts/fleet-demo.py
