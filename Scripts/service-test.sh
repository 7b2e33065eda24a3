#!/usr/bin/env bash
# Installs the Debian packages in a container that runs systemd, and operates the service: start, reload, a hang that the
# watchdog ends, stop. Needs root, and Debian's buildah, podman and runc.
#
#   BIN=directory-of-the-binaries ROOT=directory-made-by-debootstrap DEB=directory-of-the-packages service-test.sh
#
# Without DEB, Scripts/deb.sh makes the packages.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/service-test.XXXXXX")
readonly container=service-test-$$
cleanup() {
    podman rm --force --time 0 "$container" >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap cleanup EXIT
# shellcheck source=Scripts/containers.sh
source Scripts/containers.sh

mkdir "$folder/context"
if [ -n "${DEB:-}" ]; then
    cp "$DEB"/*.deb "$folder/context/"
else
    step "make the packages"
    OUT=$folder/context Scripts/deb.sh >"$folder/deb.log" 2>&1 || { tail -20 "$folder/deb.log" >&2; fail "Scripts/deb.sh"; }
fi
import_debian

step "install the packages beside systemd"
cat > "$folder/context/Dockerfile" <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libsqlite3-0 libzmq5 systemd tzdata
COPY *.deb /tmp/
RUN apt-get install -y --no-install-recommends /tmp/*.deb
CMD ["/lib/systemd/systemd"]
END
build_image "the image with systemd" -t localhost/popup-service-test "$folder/context"
# systemd in a container makes namespaces and filters of its own: the unit's.
podman run --detach --name "$container" --privileged --systemd=always localhost/popup-service-test >/dev/null 2>&1

inside() { podman exec "$container" "$@"; }
property() { inside systemctl show --property "$1" --value popup-broker; }
# Whether a property of the unit has a value.
is() { [ "$(property "$1")" = "$2" ]; }
status_begins() { [[ "$(property StatusText)" == "$1"* ]]; }
trouble() {
    inside journalctl --unit popup-broker --no-pager >&2 || true
    fail "$*"
}

step "start"
for _ in $(seq 120); do
    { is ActiveState active || is ActiveState failed; } 2>/dev/null && break
    sleep 0.5
done
is ActiveState active || trouble "the service is not active"
status_begins "Ready at tcp://127.0.0.1:5570" || trouble "the status: $(property StatusText)"
is NRestarts 0 || trouble "the service was restarted"
inside popupctl show --group lobby --id visitor "A visitor for you"

step "reload"
inside systemctl reload popup-broker || trouble "systemctl reload"
for _ in $(seq 40); do
    status_begins "Ready, with the configuration that was read again" && break
    sleep 0.5
done
status_begins "Ready, with the configuration that was read again" || trouble "the status: $(property StatusText)"

step "hang"
inside sh -c 'mkdir -p /run/systemd/system/popup-broker.service.d
    printf "[Service]\nWatchdogSec=3\n" > /run/systemd/system/popup-broker.service.d/watchdog.conf
    systemctl daemon-reload; systemctl restart popup-broker'
# Twice the time of the watchdog: a broker that goes on is left alone. What is tested is that this time passes.
sleep 6
is NRestarts 0 || trouble "the watchdog ended a broker that did not hang"
inside sh -c "kill -STOP $(property MainPID)"
await "the watchdog does not restart a broker that hangs" is NRestarts 1
await "the service is not active after the hang" is ActiveState active
inside popupctl list | grep '^visitor .*active' >/dev/null || trouble "the popup is gone after the hang"

step "stop"
inside systemctl stop popup-broker
is Result success || trouble "the service ended with $(property Result)"
step "all well"
