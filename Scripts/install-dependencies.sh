#!/usr/bin/env bash
# Installs what building and testing need and this machine lacks: libzmq and SQLite with their headers, pkg-config, a C
# compiler, Python with pyzmq, the time zones' data; and the Debian packages that the arguments name. Says nothing when
# all of it is there. Swift itself is only checked for.
#
# Exit codes: 0 all is there; 69 something is missing and can't be installed from here (the message says what).
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

readonly needed_swift="6.2"

fail() {
    printf 'install-dependencies: %s\n' "$*" >&2
    exit 69
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# --- Swift -----------------------------------------------------------------------------------------------------------

check_swift() {
    have swift || fail "Swift is missing; get $needed_swift or later from https://www.swift.org/install/ and try again"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || fail "\`swift --version\` does not answer; install Swift from https://www.swift.org/install/"
    if [ "$(printf '%s\n%s\n' "$needed_swift" "$version" | sort -V | head -n 1)" != "$needed_swift" ]; then
        fail "Swift $version is too old; get $needed_swift or later from https://www.swift.org/install/"
    fi
}

# --- Packages of the system ------------------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        fail "run as root, or with sudo installed: $*"
    fi
}

apt_install() {
    printf 'install-dependencies: installing %s\n' "$*" >&2
    # The lists may be absent (a fresh image) or old (a package that has moved): then once more with new ones.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
    as_root apt-get update -qq >/dev/null || fail "\`apt-get update\` failed; check the network and /etc/apt/sources.list"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null \
        || fail "\`apt-get install $*\` failed; its messages stand above"
}

# Debian's names of what is missing, one a line.
missing_packages() { # PACKAGE…
    local package
    for package; do
        dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q ^ii || echo "$package"
    done
    have pkg-config || echo pkg-config
    if ! have pkg-config || ! pkg-config --exists 'libzmq >= 4.3'; then
        echo libzmq3-dev
    fi
    if ! have pkg-config || ! pkg-config --exists 'sqlite3 >= 3.35'; then
        echo libsqlite3-dev
    fi
    have cc || have clang || have gcc || echo gcc
    have make || echo make
    have python3 || echo python3
    [ -e "${TZDIR:-/usr/share/zoneinfo}/Europe/Berlin" ] || echo tzdata
}

install_packages() { # PACKAGE…
    local packages
    mapfile -t packages < <(missing_packages "$@")
    [ "${#packages[@]}" -eq 0 ] && return
    if have apt-get; then
        apt_install "${packages[@]}"
    elif have brew; then
        fail "run: brew install zeromq sqlite pkg-config python"
    else
        fail "install these (Debian's names) with this system's package manager: ${packages[*]}"
    fi
}

# --- Python ----------------------------------------------------------------------------------------------------------

has_pyzmq() {
    python3 -c 'import zmq' >/dev/null 2>&1
}

# Debian's package serves Debian's Python alone; any other gets an environment of its own beside the package.
install_pyzmq() {
    has_pyzmq && return
    if have apt-get && [ "$(command -v python3)" = /usr/bin/python3 ]; then
        apt_install python3-zmq
        has_pyzmq && return
    fi
    printf 'install-dependencies: installing pyzmq into .venv\n' >&2
    if ! { python3 -m venv .venv && .venv/bin/python3 -m pip install --quiet pyzmq; }; then
        fail "pyzmq is missing; install it for python3 (Debian: python3-zmq, elsewhere: pip install pyzmq)"
    fi
}

check_swift
install_packages "$@"
install_pyzmq
