#!/usr/bin/env bash
# Installs other systems and their client libraries from Debian where they are missing, and puts them at the same work as the broker.
# What can't be installed is left out, with a word about it. Arguments as those of Benchmarks/run.sh.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/../Scripts/environment.sh"
# shellcheck source=Benchmarks/compile.sh
source Benchmarks/compile.sh

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# The packages of which something is missing.
install() {
    command -v apt-get >/dev/null || return 1
    printf 'peers: installing %s\n' "$*" >&2
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
    as_root apt-get update -qq >/dev/null 2>&1
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

# Its name, the server's program and package, pkg-config's name of the client library and its package.
peer() {
    local name=$1 program=$2 package=$3 library=$4 development=$5
    rm -f "$built/load-$name"
    command -v "$program" >/dev/null || install "$package" || printf 'peers: %s could not be installed\n' "$package" >&2
    if ! pkg-config --exists "$library" && ! install "$development"; then
        printf 'peers: %s could not be installed\n' "$development" >&2
        return
    fi
    compile "load-$name" "$library" "Benchmarks/load/$name.c" Benchmarks/load/harness.c
}

peer nats nats-server nats-server libnats libnats-dev
peer redis redis-server redis-server hiredis libhiredis-dev
peer mosquitto mosquitto mosquitto libmosquitto libmosquitto-dev
peer rabbitmq /usr/lib/rabbitmq/bin/rabbitmq-server rabbitmq-server librabbitmq librabbitmq-dev

exec Benchmarks/run.sh --only peers "$@"
