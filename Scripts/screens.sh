#!/usr/bin/env bash
# Draws Documentation/demo.gif, the picture of the README, again: from the demo, in a terminal of its own. Installs what
# screens.py needs from Debian, and Pillow into an environment of its own.
#
# BIN      the folder of the built programs (default: builds them)
# OUTPUT   the picture (default: Documentation/demo.gif)
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

Scripts/install-dependencies.sh fontconfig fonts-dejavu-core fonts-ipafont-gothic tmux
if [ -z "${BIN:-}" ]; then
    swift build
    BIN=$(swift build --show-bin-path)
fi
BIN=$(realpath "$BIN")
export BIN

if [ ! -x .venv-screens/bin/python3 ]; then
    python3 -m venv .venv-screens
    .venv-screens/bin/pip install --quiet pillow
fi
.venv-screens/bin/python3 -B Scripts/screens.py ${OUTPUT:+--output "$OUTPUT"}
