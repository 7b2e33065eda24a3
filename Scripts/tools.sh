# shellcheck shell=bash
# Sourced by the checks of Tests/Checks, after environment.sh: what they do if this machine lacks a tool.
#
# A tool that is missing is installed. If that cannot be, the check says `skipped: …`, and `make test` repeats it at its end.
# With REQUIRE_TOOLS=yes, what is skipped is a failure.

# Says that a part of the check is skipped, and why.
skip_part() { # REASON
    printf '%s: skipped: %s\n' "$(basename "$0")" "$1" | tee -a "${SKIPPED:-/dev/null}" >&2
    [ "${REQUIRE_TOOLS:-}" = yes ] || return 0
    printf '%s: REQUIRE_TOOLS=yes: that is a failure\n' "$(basename "$0")" >&2
    exit 69
}

# Ends the check, because it cannot run here.
skip() { # REASON
    skip_part "$1"
    exit 0
}

# Installs Debian packages if a program is missing. Returns whether it is there then.
have_tool() { # PROGRAM PACKAGE…
    local program=$1
    shift
    command -v "$program" >/dev/null && return
    Scripts/install-dependencies.sh "$@" || return
    command -v "$program" >/dev/null
}

# Skips the check if the packages with a program cannot be installed.
need_tool() { # PROGRAM PACKAGE…
    have_tool "$@" || skip "there is no $1; \`apt-get install ${*:2}\` installs it"
}

# Skips the check if Python is too old for the package in `python`.
need_python() {
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
        || skip "it needs Python 3.11 or later, and this is $(python3 --version)"
}

# Prints the path of promtool. If it is not installed, it comes from Debian's package prometheus, which is only unpacked:
# its installation would start a service.
promtool_path() {
    local folder=.build/tools/prometheus
    command -v promtool && return
    if [ ! -x "$folder/usr/bin/promtool" ] && command -v apt-get >/dev/null; then
        mkdir -p "$folder"
        (
            cd "$folder" || exit
            apt-get download -qq prometheus >/dev/null 2>&1 \
                || { apt-get update -qq && apt-get download -qq prometheus; } >/dev/null 2>&1
        ) && dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar --extract --directory "$folder" ./usr/bin/promtool
        rm -f "$folder"/prometheus_*.deb
    fi
    [ -x "$folder/usr/bin/promtool" ] && realpath "$folder/usr/bin/promtool"
}
