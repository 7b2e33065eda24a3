#!/usr/bin/env bash
# Builds the image with buildah, starts the compose file with podman, asks the broker over the published ports, kills the
# broker's container, and finds its popups again. Needs root, and Debian's buildah, podman, podman-compose and runc.
#
#   BIN=directory-of-the-binaries ROOT=directory-made-by-debootstrap containers-test.sh
#
# With BIN, its static binaries are used instead of the build stage, and no image of Swift is needed.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/containers-test.XXXXXX")
readonly project=popups-$$
# shellcheck source=Scripts/containers.sh
source Scripts/containers.sh
compose() { podman-compose -p "$project" -f "$folder/docker-compose.yml" "$@"; }
cleanup() {
    compose down -v >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap cleanup EXIT

# Makes an image of Debian with the toolchain that is installed here, and what it needs.
import_swift() {
    podman image exists docker.io/library/swift:6.3-bookworm && return
    step "import Swift"
    local toolchain
    toolchain=$(dirname "$(dirname "$(dirname "$(realpath "$(command -v swift)")")")")
    mkdir "$folder/swift"
    cat > "$folder/swift/Dockerfile" <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates gcc git libc6-dev \
    libcurl4 libedit2 libncurses6 libpython3.11 libstdc++-12-dev libxml2 libz3-4 tzdata zlib1g-dev
COPY usr /usr
END
    build_image "the image of Swift" -t docker.io/library/swift:6.3-bookworm -f "$folder/swift/Dockerfile" "$toolchain"
}

build() { # TARGET IMAGE
    step "build $2"
    build_image "the image $2" --target "$1" -t "localhost/$2" -f "$folder/Dockerfile" "$folder/context"
}

import_debian
mkdir "$folder/context"
if [ -n "${BIN:-}" ]; then
    programs=(popup-broker popupctl line-producer replay-producer terminal-renderer)
    install -d "$folder/context/programs"
    install -s -t "$folder/context/programs" "${programs[@]/#/$BIN/}"
    # From the second stage on.
    sed -n '/^FROM debian/,$p' Dockerfile | sed '/--from=build /{s|--from=build ||; s|/programs/|programs/|g}' \
        > "$folder/Dockerfile"
    cp -r Examples "$folder/context/Examples"
else
    import_swift
    cp Dockerfile "$folder/Dockerfile"
    cp -r Package.swift Sources Tests Examples "$folder/context/"
    [ ! -e Package.resolved ] || cp Package.resolved "$folder/context/"
fi
build broker popup-broker
build examples popup-broker-examples

bytes=$(podman image inspect --format '{{.Size}}' localhost/popup-broker)
packed=$(podman save localhost/popup-broker | gzip -1 | wc -c)
step "the image has $((bytes / 1000000)) MB, $((packed / 1000000)) MB as it is transferred"
[ "$packed" -le 120000000 ] || fail "the image is larger than 120 MB"
[ "$(podman image inspect --format '{{.User}}' localhost/popup-broker)" = 10570 ] || fail "the image's user"

# Free ports, so that a broker of this machine is not disturbed.
sed 's/127\.0\.0\.1:5570:/127.0.0.1:25570:/; s/127\.0\.0\.1:5571:/127.0.0.1:25571:/' docker-compose.yml \
    > "$folder/docker-compose.yml"
step "start the services"
compose up -d --no-build >"$folder/up.log" 2>&1 || { tail -20 "$folder/up.log" >&2; fail "podman-compose up"; }
readonly broker=${project}_broker_1

# Runs popupctl of the image on the host's network: over the published ports.
control() {
    podman run --rm --network host --read-only --env POPUP_BROKER_INGRESS=tcp://127.0.0.1:25570 \
        --env POPUP_BROKER_EGRESS=tcp://127.0.0.1:25571 --entrypoint popupctl localhost/popup-broker "$@"
}
step "ask over the published ports"
await "the broker does not answer" control ping --timeout 3s
control show --group desk --id containers-test --duration 300s "A visitor for you"
lists_popup() { control list | grep '^containers-test .*active' >/dev/null; }
await "the popup is not shown" lists_popup
await "the container is not healthy" podman healthcheck run "$broker"
# The producers of the other containers reach the broker by its name.
replay_shows() { control list demo/lobby | grep -i 'welcome' >/dev/null; }
await "the replay-producer shows nothing" replay_shows
load_shows() { control list demo/lobby | grep -i 'load' >/dev/null; }
await "the line-producer shows nothing" load_shows
podman exec "$broker" sh -c 'touch /usr/x 2>/dev/null' && fail "the file system can be written"
[ "$(podman exec "$broker" id -u)" = 10570 ] || fail "the broker does not run as user 10570"

step "kill the broker's container and start it again"
podman kill --signal KILL "$broker" >/dev/null
podman wait "$broker" >/dev/null 2>&1 || true
podman start "$broker" >/dev/null
await "the broker does not answer after the kill" control ping --timeout 3s
lists_popup || fail "the popup is gone"
await "the container is not healthy after the kill" podman healthcheck run "$broker"

step "stop"
podman stop --time 10 "$broker" >/dev/null
code=$(podman inspect --format '{{.State.ExitCode}}' "$broker")
[ "$code" = 0 ] || fail "the broker ended with $code"
step "all well"
