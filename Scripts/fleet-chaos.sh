#!/usr/bin/env bash
# Kills, stops and cuts off nodes, brokers, clients and members of etcd, for hours. Each 50 rounds begin with an etcd of their
# own, and end with a comparison of all that was published and acknowledged with the log.
#
# ROUNDS   how many faults (500)
# SEED     repeats the choice of the first ones
# SLACK    a factor for the limits of take-overs, on a machine that is busy with other things (1)
set -euo pipefail
# shellcheck source=Scripts/fleet-environment.sh
source "$(dirname "$0")/fleet-environment.sh"

swift build --package-path Fleet
set_fleet_programs
rounds=${ROUNDS:-500}
seed=${SEED:-$RANDOM}
for ((begun = 0; begun < rounds; begun += 50)); do
    run_fleet_rounds $((rounds - begun < 50 ? rounds - begun : 50)) $((seed + begun))
done
echo "$rounds rounds: nothing that was acknowledged was lost, and nothing was published that is not of the log's history"
