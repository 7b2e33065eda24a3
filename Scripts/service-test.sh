#!/usr/bin/env bash
# Installs the Debian packages in a container that runs systemd, and operates the services of broker and gateway: start,
# reload, a hang that the watchdog ends, a port that another program has, stop. Needs root, and Debian's buildah, podman, runc, netavark and iptables.
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
podman run --detach --name "$container" --privileged --systemd=always localhost/popup-service-test >"$folder/run.log" 2>&1 \
    || { cat "$folder/run.log" >&2; fail "podman cannot run the container"; }

inside() { podman exec "$container" "$@"; }
# The unit of which the functions below speak.
unit=popup-broker
property() { inside systemctl show --property "$1" --value "$unit"; }
# Whether a property of the unit has a value.
is() { [ "$(property "$1")" = "$2" ]; }
status_begins() { [[ "$(property StatusText)" == "$1"* ]]; }
trouble() {
    inside journalctl --unit "$unit" --no-pager >&2 || true
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

step "the gateway: start"
unit=popup-gateway
await "the gateway is not active" is ActiveState active
status_begins "Ready at http://127.0.0.1:8570" || trouble "the status: $(property StatusText)"
# Asks as curl would, which is not there.
web() { # PORT PATH
    inside bash -c "exec 3<>/dev/tcp/127.0.0.1/$1
        printf 'GET $2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token:-}\r\n\r\n' >&3
        cat <&3"
}
is_ready() { web 8571 /readyz | grep '200 OK'; }
await "the gateway does not reach the broker" is_ready
web 8570 /v1/state/lobby | grep ' 401 ' >/dev/null || trouble "the gateway answers without a token"

step "the gateway: reload"
token=$(inside popup-gateway token new --name test --tokens /etc/popup-gateway/tokens.yaml)
inside systemctl reload popup-gateway || trouble "systemctl reload"
await "the status after the reload" status_begins "Ready, with the configuration and tokens that were read again"
web 8570 /v1/state/lobby | grep 'A visitor for you' >/dev/null || trouble "the gateway does not show the popup"

step "the gateway: hang"
inside sh -c 'mkdir -p /run/systemd/system/popup-gateway.service.d
    printf "[Service]\nWatchdogSec=3\n" > /run/systemd/system/popup-gateway.service.d/watchdog.conf
    systemctl daemon-reload; systemctl restart popup-gateway'
sleep 6
is NRestarts 0 || trouble "the watchdog ended a gateway that did not hang"
inside sh -c "kill -STOP $(property MainPID)"
await "the watchdog does not restart a gateway that hangs" is NRestarts 1
await "the gateway is not active after the hang" is ActiveState active
await "the gateway does not reach the broker after the hang" is_ready

step "a port that is taken"
unit=popup-broker
inside systemctl stop popup-broker
inside sh -c 'printf "[Service]\nRestartSec=200ms\n" > /run/systemd/system/popup-broker.service.d/restart.conf
    systemctl daemon-reload
    systemd-run --quiet --unit=other --service-type=notify popup-broker run --ingress tcp://127.0.0.1:5570 \
        --egress tcp://127.0.0.1:5572 --set journal.durability=memory' || fail "another program does not take the port"
inside systemctl start --no-block popup-broker
# By default, systemd gives a service up after five starts within 10 s.
was_started_often() { [ "$(property NRestarts)" -ge 8 ]; }
await "the service is given up while its port is taken" was_started_often
inside systemctl stop other
await "the service is not active when its port is free" is ActiveState active
inside popupctl list | grep '^visitor .*active' >/dev/null || trouble "the popup is gone after a port that was taken"

for unit in popup-gateway popup-broker; do
    step "stop $unit"
    inside systemctl stop "$unit"
    is Result success || trouble "the service ended with $(property Result)"
done
step "all well"
