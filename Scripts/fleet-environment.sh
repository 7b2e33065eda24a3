# shellcheck shell=bash
# What the scripts share that test a fleet. To be read by them.
# shellcheck source=Scripts/environment.sh
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

if ! { [ -x /usr/bin/etcd ] && [ -x /usr/bin/etcdctl ] && command -v openssl >/dev/null; }; then
    # The tests start their own members: the service of the package is not needed.
    RUNLEVEL=1 Scripts/install-dependencies.sh etcd-server etcd-client openssl
fi

# Builds the programs of brokers, and tells the tests where all programs are.
set_fleet_programs() {
    local programs program
    programs=$(swift build --package-path Fleet --show-bin-path)
    export FLEET_TRIAL=$programs/fleet-trial POPUP_FLEET=$programs/popup-fleet
    for program in popup-broker popupctl; do compile --product "$program"; done
    programs=$(swift build --show-bin-path)
    export POPUP_BROKER=$programs/popup-broker POPUPCTL=$programs/popupctl
}

# Runs rounds of faults, of nodes and of brokers: $1 in all, whose choice $2 repeats.
run_fleet_rounds() {
    local brokers=$(($1 * 7 / 15))
    ROUNDS=$(($1 - brokers)) SEED=$2 python3 -B Fleet/Tests/Processes/test_fleet.py
    if [ "$brokers" -gt 0 ]; then ROUNDS=$brokers SEED=$2 python3 -B Fleet/Tests/Processes/test_broker.py; fi
}
