# shellcheck shell=bash
# Sourced by the other scripts: stands in the package's folder, and puts the Python environment that
# install-dependencies.sh may have made before the system's.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 69
if [ -x .venv/bin/python3 ]; then
    PATH="$PWD/.venv/bin:$PATH"
fi
export PATH

# Compiles a package: ARGUMENT… of `swift build`. In a build directory that several packages share (SWIFTPM_BUILD_DIR), the
# cached build plan may be that of another package, so it is not used. Only `.ci/run` shares a directory, and only the scripts
# that it runs support this.
compile() {
    swift build ${SWIFTPM_BUILD_DIR:+--disable-build-manifest-caching} "$@"
}

# Runs the built tests of the package in the present folder, or of another one: LIMIT ARGUMENT… of `swift test`.
#
# Four at once: a test's own time limits are those of a machine that works on it. By default all begin at once, and each
# would wait minutes for its turn. LIMIT is far beyond what all take, so that a test that hangs is a failure and not a wait
# for ever.
run_built_tests() {
    local few_at_once=()
    if [[ $(swift test --help-hidden) == *--experimental-maximum-parallelization-width* ]]; then
        few_at_once=(--experimental-maximum-parallelization-width 4)
    fi
    timeout --kill-after=30 "$1" swift test --skip-build "${few_at_once[@]}" "${@:2}"
}
