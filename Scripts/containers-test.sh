#!/usr/bin/env bash
# Builds the images with buildah, starts the compose file with podman, asks broker and gateway over the published ports,
# kills the broker's container, and finds its popups again. Then the same services with keys, which make-keys makes. Needs
# root, and Debian's buildah, podman, podman-compose, runc, netavark, aardvark-dns and iptables.
#
#   BIN=directory-of-the-binaries GATEWAY=binary-of-the-gateway ROOT=directory-made-by-debootstrap containers-test.sh
#
# With BIN, its binaries are used instead of the build stage, and no image of Swift is needed: only binutils and
# busybox-static. Then the gateway is tested only with GATEWAY. As those of the build stage, they share the Swift runtime:
# `swift build -c release --disable-local-rpath`, without --static-swift-stdlib.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/containers-test.XXXXXX")
readonly project=popups-$$
# shellcheck source=Scripts/containers.sh
source Scripts/containers.sh
compose_files=(-f "$folder/docker-compose.yml")
compose() { podman-compose -p "$project" "${compose_files[@]}" "$@"; }
cleanup() {
    compose down -v >/dev/null 2>&1 || true
    # podman-compose leaves the network.
    podman network rm --force "${project}_default" >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap cleanup EXIT

# Makes an image of Debian with the toolchain that is installed here, and what it needs.
import_swift() {
    has_image docker.io/library/swift:6.3-bookworm && return
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
    build_image "the image $2" --target "$1" -t "localhost/$2" -f "$dockerfile" "$context"
}

services=(broker replay-producer line-producer renderer)
if [ -n "${BIN:-}" ]; then
    # What the build stage does.
    context=$folder/context
    dockerfile=$folder/Dockerfile
    roots=$context/roots
    for binary in "$BIN"/{popup-broker,popupctl,line-producer,replay-producer,terminal-renderer} ${GATEWAY:+"$GATEWAY"}; do
        ldd "$binary" | grep libswiftCore >/dev/null \
            || fail "$binary does not share the Swift runtime, so the images would be larger; build it without --static-swift-stdlib"
    done
    Scripts/licenses.py popup-broker popupctl > "$folder/licenses.txt"
    Scripts/image-root.sh "$roots/broker" "$folder/licenses.txt" "$BIN/popup-broker" "$BIN/popupctl"
    Scripts/licenses.py popup-broker popupctl line-producer replay-producer terminal-renderer > "$folder/licenses.txt"
    Scripts/image-root.sh "$roots/examples" "$folder/licenses.txt" "$BIN/popup-broker" "$BIN/popupctl" "$BIN/line-producer" \
        "$BIN/replay-producer" "$BIN/terminal-renderer"
    if [ -n "${GATEWAY:-}" ]; then
        cp "$GATEWAY" "$folder/popup-gateway"
        Scripts/licenses.py popup-gateway > "$folder/licenses.txt"
        Scripts/image-root.sh "$roots/gateway" "$folder/licenses.txt" "$folder/popup-gateway"
    fi
    sed -n '/^FROM scratch/,$p' Dockerfile | sed 's|--from=build[a-z-]* /roots/|roots/|' > "$dockerfile"
    cp -r Examples "$context/Examples"
else
    import_debian
    import_swift
    context=.
    dockerfile=Dockerfile
fi
build broker popup-broker
build examples popup-broker-examples
if [ -z "${BIN:-}" ] || [ -n "${GATEWAY:-}" ]; then
    build gateway popup-gateway
    services+=(gateway)
fi

measure() { # IMAGE MEGABYTES
    local bytes packed
    bytes=$(podman image inspect --format '{{.Size}}' "localhost/$1")
    packed=$(podman save "localhost/$1" | gzip -1 | wc -c)
    step "the image $1 has $((bytes / 1000000)) MB, $((packed / 1000000)) MB as it is transferred"
    [ "$bytes" -le $(($2 * 1000000)) ] || fail "the image $1 is larger than $2 MB"
    [ "$(podman image inspect --format '{{.User}}' "localhost/$1")" = 10570 ] || fail "the user of the image $1"
}
measure popup-broker 120
# The broker's, and three programs.
measure popup-broker-examples 125

# Whether an image has the license of what it contains, by the name that Scripts/licenses.py gives it.
has_license() { # IMAGE NAME
    podman run --rm --read-only --entrypoint grep "localhost/$1" "^Name: $2\$" /usr/share/doc/popup-broker/licenses.txt >/dev/null
}
licensed() { # IMAGE NAME…
    local image=$1 name file
    shift
    step "look for the licenses in the image $image"
    for name; do has_license "$image" "$name" || fail "the image $image does not have the license of $name"; done
    for file in busybox-static libc6 libzmq5 tzdata; do
        podman run --rm --read-only --entrypoint test "localhost/$image" -s "/usr/share/doc/$file/copyright" \
            || fail "the image $image does not have the copyright of $file"
        podman run --rm --read-only --entrypoint grep "localhost/$image" "^$file .*source: " \
            /usr/share/doc/popup-broker/debian-packages.txt >/dev/null || fail "the image $image does not name $file"
    done
    podman run --rm --read-only --entrypoint test "localhost/$image" -s /usr/share/common-licenses/GPL-2 \
        || fail "the image $image does not have the text of the GPL"
}
licensed popup-broker GRDB.swift swift-protobuf libyaml
licensed popup-broker-examples GRDB.swift swift-protobuf libyaml

# Free ports, so that a broker of this machine is not disturbed.
sed 's/127\.0\.0\.1:\(5570\|5571\|8570\):/127.0.0.1:2\1:/' docker-compose.yml > "$folder/docker-compose.yml"
# The services mount scripts of the examples.
cp -r Examples "$folder/Examples"
step "start the services"
compose up -d --no-build "${services[@]}" >"$folder/up.log" 2>&1 || { tail -20 "$folder/up.log" >&2; fail "podman-compose up"; }
readonly broker=${project}_broker_1

# Runs popupctl of the image on the host's network: over the published ports.
control() {
    podman run --rm --network host --read-only --env POPUP_BROKER_INGRESS=tcp://127.0.0.1:25570 \
        --env POPUP_BROKER_EGRESS=tcp://127.0.0.1:25571 --entrypoint popupctl localhost/popup-broker "$@"
}
confined() { # CONTAINER
    # As root, who may write to /usr, unless the file system is mounted read-only.
    podman exec --user 0 "$1" sh -c 'touch /usr/x 2>/dev/null' && fail "the file system of $1 can be written"
    [ "$(podman exec "$1" id -u)" = 10570 ] || fail "$1 does not run as user 10570"
    local status
    status=$(podman exec "$1" cat /proc/1/status)
    grep -q '^CapBnd:[[:space:]]*0*$' <<< "$status" || fail "$1 may gain capabilities"
    grep -q '^NoNewPrivs:[[:space:]]*1$' <<< "$status" || fail "$1 may gain privileges"
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
if [[ " ${services[*]} " == *" gateway "* ]]; then
    licensed popup-gateway hummingbird swift-nio libyaml
    step "ask the gateway over the published port"
    web() { # PATH ARGUMENT…
        local path=$1
        shift
        curl --silent --show-error --fail --max-time 10 --header "Authorization: Bearer $token" "$@" "http://127.0.0.1:28570$path"
    }
    await "the gateway says no token" sh -c "podman logs ${project}_gateway_1 2>&1 | grep -q '^token: '"
    token=$(podman logs "${project}_gateway_1" 2>&1 | sed -n 's/^token: //p')
    await "the gateway does not answer" web /v1/state/demo/lobby
    web '/v1/show/demo/web?id=web-test&duration=300s' --data "From the web" >/dev/null
    web /v1/state/demo/web | grep '"From the web"' >/dev/null || fail "the gateway does not show the popup"
    control list demo/web | grep '^web-test .*active' >/dev/null || fail "the broker does not show the gateway's popup"
    await "the gateway's container is not healthy" podman healthcheck run "${project}_gateway_1"
    measure popup-gateway 120
    confined "${project}_gateway_1"
fi
confined "$broker"

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

step "start the services with keys"
compose down -v >"$folder/down.log" 2>&1 || { tail -20 "$folder/down.log" >&2; fail "podman-compose down"; }
cp docker-compose.keys.yml "$folder/"
compose_files+=(-f "$folder/docker-compose.keys.yml")
readonly keys=${project}_keys_1
compose up -d --no-build keys >"$folder/up.log" 2>&1 || { tail -20 "$folder/up.log" >&2; fail "podman-compose up keys"; }
code=$(podman wait "$keys")
[ "$code" = 0 ] || { podman logs "$keys" >&2; fail "make-keys ended with $code"; }
# With the volume that the image declares, which nobody names.
podman rm --volumes "$keys" >/dev/null
# podman-compose would start it again before each service, and not wait until it has ended.
sed '/^    depends_on:$/,/condition: service_completed_successfully$/d' docker-compose.keys.yml > "$folder/docker-compose.keys.yml"
compose up -d --no-build "${services[@]}" >"$folder/up.log" 2>&1 || { tail -20 "$folder/up.log" >&2; fail "podman-compose up with keys"; }

# Runs popupctl as `control` does, with the key of a service: from its volume, or from a directory.
control_as() { # SERVICE-OR-DIRECTORY ARGUMENT…
    local from=$1
    shift
    [[ $from == /* ]] || from=${project}_$from-keys
    podman run --rm --network host --read-only --volume "$from:/keys:ro" --env POPUP_BROKER_INGRESS=tcp://127.0.0.1:25570 \
        --env POPUP_BROKER_EGRESS=tcp://127.0.0.1:25571 --env POPUP_BROKER_KEY=/keys/client.key \
        --env POPUP_BROKER_SERVER_KEY=/keys/broker.pub --entrypoint popupctl localhost/popup-broker "$@"
}
# Whether a command ends with an exit code.
ends_with() { # CODE COMMAND…
    local expected=$1 code=0
    shift
    "$@" >"$folder/output" 2>&1 || code=$?
    [ "$code" = "$expected" ]
}

step "ask with keys over the published ports"
await "the broker does not answer popupctl with its key" control_as popupctl ping --timeout 3s
await "the container of the broker with keys is not healthy" podman healthcheck run "$broker"
for service in popupctl renderer line-producer; do
    control_as "$service" whoami > "$folder/output" || fail "whoami with the key of $service"
    grep -x "the user $service" "$folder/output" >/dev/null || { cat "$folder/output" >&2; fail "the key of $service is that of another user"; }
done
control_as popupctl show --group desk --id with-a-key --duration 300s "A visitor for you"
lists_popup_with_key() { control_as popupctl list | grep '^with-a-key .*active' >/dev/null; }
await "the popup is not shown" lists_popup_with_key

step "be refused"
# 65: the broker refuses the command; 77: it does not let the client in.
ends_with 65 control_as renderer show --group desk "Not for me to show" || { cat "$folder/output" >&2; fail "the renderer may show popups"; }
grep PERMISSION_DENIED "$folder/output" >/dev/null || { cat "$folder/output" >&2; fail "the renderer is refused for another reason"; }
ends_with 77 control whoami --timeout 3s || { cat "$folder/output" >&2; fail "a client without a key is not told so"; }
stranger=$folder/stranger
mkdir "$stranger"
podman run --rm --user 0 --volume "$stranger:/keys" --entrypoint popup-broker localhost/popup-broker keys new --output /keys/client.key >/dev/null
podman run --rm --user 0 --volume "${project}_popupctl-keys:/keys:ro" --entrypoint cat localhost/popup-broker /keys/broker.pub > "$stranger/broker.pub"
# The user of the images.
chown -R 10570:10570 "$stranger"
ends_with 77 control_as "$stranger" whoami --timeout 3s || { cat "$folder/output" >&2; fail "a client with a key that nobody knows is not told so"; }
grep "does not know this client's key" "$folder/output" >/dev/null || { cat "$folder/output" >&2; fail "the client is refused for another reason"; }

step "find what the services do with their keys"
replay_shows() { control_as popupctl list demo/lobby | grep -i 'welcome' >/dev/null; }
await "the replay-producer with its key shows nothing" replay_shows
load_shows() { control_as popupctl list demo/lobby | grep -i 'load' >/dev/null; }
await "the line-producer with its key shows nothing" load_shows
renders() { control_as popupctl renderers --json | grep 'demo/lobby' >/dev/null; }
await "the renderer with its key holds no lease" renders
for service in renderer line-producer; do
    # Its own key and the broker's public one, and of no other service.
    [ "$(podman exec "${project}_${service}_1" ls /keys | tr '\n' ' ')" = "broker.pub client.key " ] || fail "$service sees other keys"
done
if [[ " ${services[*]} " == *" gateway "* ]]; then
    await "the gateway with keys says no token" sh -c "podman logs ${project}_gateway_1 2>&1 | grep -q '^token: '"
    token=$(podman logs "${project}_gateway_1" 2>&1 | sed -n 's/^token: //p')
    await "the gateway with its key does not reach the broker" web /v1/state/demo/lobby
    web '/v1/show/demo/web?id=web-with-key&duration=300s' --data "From the web" >/dev/null
    control_as popupctl list demo/web | grep '^web-with-key .*active' >/dev/null || fail "the broker does not show the gateway's popup"
fi
confined "$broker"
step "all well"
