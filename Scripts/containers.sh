# What the tests with containers share. Sourced by them, after `folder` names a temporary directory.
#
# No registry is asked: base images that are not there are made with debootstrap and the installed toolchain.

# Where there is no systemd, no crun, and no right to raise limits.
cat > "$folder/containers.conf" <<'END'
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
END
export CONTAINERS_CONF=$folder/containers.conf

step() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*"; }
fail() {
    printf '%s: FAILED: %s\n' "$(basename "$0" .sh)" "$*" >&2
    exit 1
}

# Whether an image is there, with the copyrights of its packages, which go into the images that are made from it.
has_image() { # IMAGE
    podman image exists "$1" && podman run --rm --network none --entrypoint test "$1" -e /usr/share/doc/libc6/copyright
}

# Makes an image of a directory with Debian 12: of ROOT, if that is set.
import_debian() {
    has_image docker.io/library/debian:bookworm-slim && return
    local root=${ROOT:-}
    step "import Debian"
    if [ -z "$root" ]; then
        root=$folder/debian
        debootstrap --variant=minbase bookworm "$root" >/dev/null
    fi
    # As the image of this name leaves out: lists, caches, manuals; of the documents, all but the copyright.
    (cd "$root" && find ./usr/share/doc -type f ! -name copyright) > "$folder/documents"
    tar -C "$root" --exclude='./var/lib/apt/lists/*' --exclude='./var/cache/*' --no-wildcards --exclude-from="$folder/documents" \
        --wildcards --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' --exclude='./usr/share/info/*' -c . \
        | podman import - docker.io/library/debian:bookworm-slim >/dev/null
}

# Builds an image, and shows the end of the log if it cannot be built.
build_image() { # WHAT ARGUMENT…
    local what=$1
    shift
    buildah bud --isolation chroot --layers "$@" >"$folder/build.log" 2>&1 \
        || { tail -20 "$folder/build.log" >&2; fail "$what"; }
}

# Waits until a command succeeds; at most a minute.
await() { # WHAT COMMAND…
    local what=$1 end=$((SECONDS + 60))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "$what"
        sleep 0.5
    done
}
