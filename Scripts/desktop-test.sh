#!/usr/bin/env bash
# Tests the notifications of a desktop: a real session bus, notify-send, and dunst on a screen of memory. Installs what
# they need from Debian, and dbus-fast into an environment of its own. SCREENSHOTS=DIRECTORY keeps pictures of the screen.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

Scripts/install-dependencies.sh dbus dunst imagemagick libglib2.0-bin libnotify-bin xvfb
swift build --product popup-broker
BIN=$(swift build --show-bin-path)
export BIN

environment=.build/desktop-python
python3 -m venv --clear "$environment"
"$environment/bin/python3" -m pip install --quiet './python[desktop]'
[ -z "${SCREENSHOTS:-}" ] || mkdir -p "$SCREENSHOTS"
PYTHONPATH=python "$environment/bin/python3" -B -m unittest -v tests.test_desktop
