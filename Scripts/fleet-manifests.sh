#!/usr/bin/env bash
# Checks the manifests of a fleet in Packaging/fleet: the Kubernetes resources against their schemas (by kubernetes-validate of
# PyPI, in an environment of its own), the unit by systemd, the compose file by docker-compose, as far as these are there; and
# that each option of `popup-fleet run` in them exists.
#
# POPUP_FLEET   the program (that of a debug build)
set -euo pipefail
cd "$(dirname "$0")/.."

readonly manifests=Packaging/fleet environment=.build/fleet-manifests
program=${POPUP_FLEET:-${SWIFTPM_BUILD_DIR:-Fleet/.build}/debug/popup-fleet}
failed=0

if [ ! -x $environment/bin/kubernetes-validate ]; then
    # Debian's Python makes environments only with another package.
    python3 -c 'import ensurepip' 2>/dev/null || Scripts/install-dependencies.sh python3-venv
    python3 -m venv $environment
    $environment/bin/pip --quiet --disable-pip-version-check install kubernetes-validate==1.37.0
fi
for version in 1.29.0 1.37.0; do
    $environment/bin/kubernetes-validate -k $version --strict --quiet $manifests/kubernetes.yaml || failed=1
done

if command -v systemd-analyze >/dev/null; then
    # The program is not installed here.
    directory=$(mktemp -d)
    trap 'rm -r "$directory"' EXIT
    sed 's,^ExecStart=[^ ]*,ExecStart=/bin/true,' $manifests/popup-fleet.service >"$directory/popup-fleet.service"
    systemd-analyze verify --man=no --recursive-errors=no "$directory/popup-fleet.service" || failed=1
else
    echo "fleet-manifests: without systemd, the unit is not checked"
fi

if command -v docker-compose >/dev/null; then
    docker-compose -f $manifests/compose.yaml config --quiet || failed=1
else
    echo "fleet-manifests: without docker-compose, the compose file is not checked"
fi

if [ -x "$program" ]; then
    help=$("$program" run --help)
    # The options of etcd stand alone in their lines.
    options=$(cat $manifests/{popup-fleet.service,node.env,compose.yaml} <(grep -v '^            - --' $manifests/kubernetes.yaml) \
        | grep -v '^ *#' | grep -oE -- '(^|[^a-z-])--[a-z][a-z-]+' | grep -oE -- '--.*' | sort -u)
    for option in $options; do
        if ! grep -qE -- "$option( |,|$)" <<<"$help"; then
            echo "fleet-manifests: popup-fleet run has no $option"
            failed=1
        fi
    done
else
    echo "fleet-manifests: without $program, its options are not checked"
fi
exit $failed
