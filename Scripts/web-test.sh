#!/usr/bin/env bash
# Builds broker and gateway, and runs the gateway's tests: the pure ones, then real processes, then a real browser if
# this machine has one (`make web-browser-test` installs it).
#
# BROKER, GATEWAY   the programs (default: builds them); popupctl and web-screen lie beside the broker, or where POPUPCTL and
#                   WEB_SCREEN say
# ONLY              a part: `swift`, the build and the tests of its parts; `browser`, the tests in a browser, which is installed
#                   if it is missing; `openapi`, those of the description, by Schemathesis; `screenshots`, no tests, but the
#                   pictures of Documentation/Gateway.md
# SCREENSHOTS       a folder for a picture of the page at the end of each test in a browser
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

# What the tests use: the tutorial curl, proxies a certificate, and the test of `make web` the list of processes.
for needed in curl:curl openssl:openssl ps:procps; do
    command -v "${needed%:*}" >/dev/null || Scripts/install-dependencies.sh "${needed#*:}"
done

readonly browser_python=.venv-browser/bin/python3

have_browser() {
    [ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && [ -x "$browser_python" ]
}

# Debian's Chromium and its driver are of the same version. The wheel of axe-playwright-python carries axe-core; Playwright
# itself is not needed, and of Dash only the files of React.
install_browser() {
    Scripts/install-dependencies.sh chromium chromium-driver
    [ -x "$browser_python" ] && return
    python3 -m venv .venv-browser
    .venv-browser/bin/pip install --quiet selenium
    .venv-browser/bin/pip install --quiet --no-deps axe-playwright-python dash==2.18.2
}

# Builds the gateway, and tests its parts.
test_parts() {
    compile --package-path Gateway --build-tests
    run_built_tests 20m --package-path Gateway
    Tests/Checks/25-licenses Gateway
}

if [ "${ONLY:-}" = swift ]; then
    test_parts
    exit
fi
if [ -z "${BROKER:-}" ]; then
    for product in popup-broker popupctl event-summary replay-producer freight-negotiation web-screen \
        web-client-calls; do
        compile --product "$product"
    done
    BROKER=$(swift build --show-bin-path)/popup-broker
fi
if [ -z "${GATEWAY:-}" ]; then
    if [ -z "${ONLY:-}" ]; then test_parts; else compile --package-path Gateway --product popup-gateway; fi
    GATEWAY=$(swift build --package-path Gateway --show-bin-path)/popup-gateway
fi
WEB_SCREEN=${WEB_SCREEN:-$(dirname "$BROKER")/web-screen}
export BROKER GATEWAY WEB_SCREEN

Scripts/openapi.py --check
Scripts/web_files.py --check
if [ "${ONLY:-}" = openapi ]; then
    if [ ! -x .venv-openapi/bin/schemathesis ]; then
        python3 -m venv .venv-openapi
        .venv-openapi/bin/pip install --quiet schemathesis
    fi
    exec .venv-openapi/bin/python -B Gateway/Tests/OpenAPI/test_openapi.py
fi
if [ -z "${ONLY:-}" ]; then
    Tests/Checks/25-manual-pages "$GATEWAY"
    for test in Gateway/Tests/Processes/test_*.py; do python3 -B "$test"; done
fi

if [ -n "${ONLY:-}" ]; then
    install_browser
elif ! have_browser; then
    echo "web-test: SKIPPED the tests in a browser: it is not installed; \`make web-browser-test\` installs it" >&2
    exit 0
fi
if [ "${ONLY:-}" = screenshots ]; then exec "$browser_python" -B Gateway/Tests/Browser/screenshots.py Documentation; fi
for test in Gateway/Tests/Browser/test_*.py; do
    timeout 600 "$browser_python" -B "$test"
done
