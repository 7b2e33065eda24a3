# shellcheck shell=bash
# Sourced by the other scripts: stands in the package's folder, and puts the Python environment that
# install-dependencies.sh may have made before the system's.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 69
if [ -x .venv/bin/python3 ]; then
    PATH="$PWD/.venv/bin:$PATH"
fi
export PATH
