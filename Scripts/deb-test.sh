#!/usr/bin/env bash
# Installs, upgrades, removes and purges the Debian packages in a directory with Debian 12, and shows a popup with what was
# installed. Needs root, debootstrap and the network.
#
#   BIN=directory-of-the-binaries ROOT=directory-made-by-debootstrap deb-test.sh
#
# Without BIN, the binaries are built; without ROOT, debootstrap makes the directory. ROOT itself is not changed.
#
# The packages are upgraded to a next revision with other configurations, and the broker of that revision is started on what
# version 0.1.0 left in its data directory. The programs of both revisions are the same: 0.1.0 was never released.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d "${TMPDIR:-/tmp}/deb-test.XXXXXX")
broker=
cleanup() {
    [ -z "$broker" ] || kill "$broker" 2>/dev/null || true
    [ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
    umount "$system/proc" 2>/dev/null || true
    rm -rf --one-file-system "$folder"
}
readonly system=$folder/system
readonly packages=(popup-broker popupctl popup-gateway)
gateway=
trap cleanup EXIT

step() { printf 'deb-test: %s\n' "$*"; }
fail() {
    printf 'deb-test: FAILED: %s\n' "$*" >&2
    exit 1
}
inside() { chroot "$system" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
apt() { inside apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$folder/apt.log" 2>&1 || { cat "$folder/apt.log" >&2; fail "apt-get $*"; }; }

step "make the packages"
BIN=${BIN:-} OUT=$folder/deb REVISION=1 Scripts/deb.sh > "$folder/deb.log" 2>&1 || { cat "$folder/deb.log" >&2; fail "Scripts/deb.sh"; }
architecture=$(dpkg --print-architecture)
# What the next revision adds to the configuration of a package.
declare -A changed=([popup-broker]='limits: {groups: 999999}' [popup-gateway]='drainMs: 4321')
for package in "${packages[@]}"; do
    first=$(ls "$folder"/deb/"${package}"_*-1_"$architecture".deb)
    # The same once more, as the next revision, which comes with another configuration.
    dpkg-deb --raw-extract "$first" "$folder/next"
    sed -i 's/^\(Version: .*\)-1$/\1-2/' "$folder/next/DEBIAN/control"
    [ ! -e "$folder/next/etc/$package/$package.yaml" ] \
        || printf '\n%s\n' "${changed[$package]}" >> "$folder/next/etc/$package/$package.yaml"
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder/next" "${first/-1_/-2_}" >/dev/null
    rm -rf "$folder/next"
done

step "make a system of Debian 12"
if [ -n "${ROOT:-}" ]; then
    cp -a "$ROOT" "$system"
else
    debootstrap --variant=minbase bookworm "$system" > "$folder/debootstrap.log" 2>&1 || { tail "$folder/debootstrap.log" >&2; fail debootstrap; }
fi
install -D -m 644 /etc/resolv.conf "$system/etc/resolv.conf"
# No service of the machine is started from here.
printf '#!/bin/sh\nexit 101\n' > "$system/usr/sbin/policy-rc.d"
chmod 755 "$system/usr/sbin/policy-rc.d"
cp "$folder"/deb/*.deb "$system/tmp/"

# Programs in Swift read their arguments from there.
mount -t proc proc "$system/proc"

step "install"
apt update
# Prints the paths of the packages of a revision, within the system.
of_revision() { (cd "$folder/deb" && printf '/tmp/%s\n' ./*-"$1"_*.deb); }
mapfile -t files < <(of_revision 1)
apt install --no-install-recommends "${files[@]}"
inside popup-broker --version | grep '^popup-broker [0-9]' || fail "popup-broker --version"
inside popupctl --version | grep '^popupctl' || fail "popupctl --version"
inside popup-gateway --version | grep '^popup-gateway [0-9]' || fail "popup-gateway --version"
for package in "${packages[@]}"; do
    for file in "/usr/share/man/man1/$package.1.gz" "/usr/share/bash-completion/completions/$package"; do
        [ -e "$system$file" ] || fail "$file is missing"
    done
done
# What each contains, with the licenses; a package that all of them link, and one of the gateway alone.
has_license() { gzip --decompress --stdout "$system/usr/share/doc/$1/licenses.txt.gz" | grep "^Name: $2\$" >/dev/null; }
for package in "${packages[@]}"; do
    has_license "$package" swift-protobuf || fail "the licenses of $package"
    grep '^Files: swift-protobuf/' "$system/usr/share/doc/$package/copyright" >/dev/null || fail "the copyright of $package"
done
has_license popup-gateway hummingbird || fail "popup-gateway does not name hummingbird"
if has_license popupctl hummingbird; then fail "popupctl names hummingbird, which it does not link"; fi
for package in popup-broker popup-gateway; do
    [ -e "$system/lib/systemd/system/$package.service" ] || fail "the unit of $package is missing"
    inside dpkg-query --show --showformat='${Conffiles}' "$package" | grep "/etc/$package/$package.yaml" >/dev/null \
        || fail "the configuration of $package is no conffile"
done
inside popup-broker check-config /etc/popup-broker/popup-broker.yaml >/dev/null
# The key of the service, as Documentation/Deployment.md tells to make it.
inside popup-broker keys new --output /etc/popup-broker/broker.key >/dev/null || fail "popup-broker keys new"
token=$(inside popup-gateway token new --name test --tokens /etc/popup-gateway/tokens.yaml)
inside popup-gateway check-config /etc/popup-gateway/popup-gateway.yaml >/dev/null || fail "popup-gateway check-config"

# Starts the installed broker, and sets `broker`, `ingress` and `egress`.
start() {
    rm -f "$folder/ready"
    mkfifo "$folder/ready"
    chroot "$system" popup-broker run --config /etc/popup-broker/popup-broker.yaml --ingress 'tcp://127.0.0.1:*' \
        --egress 'tcp://127.0.0.1:*' --data-dir /var/lib/private/popup-broker > "$folder/ready" 2> "$folder/broker.log" &
    broker=$!
    local line=
    read -r -t 30 line < "$folder/ready" || { cat "$folder/broker.log" >&2; fail "the broker is not ready"; }
    ingress=$(sed -n 's/.*ingress=\([^ ]*\).*/\1/p' <<< "$line")
    egress=$(sed -n 's/.*egress=\([^ ]*\).*/\1/p' <<< "$line")
}
stop() {
    kill "$broker"
    wait "$broker" || fail "the broker ended with $?"
    broker=
}
control() { inside POPUP_BROKER_INGRESS="$ingress" POPUP_BROKER_EGRESS="$egress" popupctl "$@"; }

step "show a popup"
mkdir -p "$system/var/lib/private"
start
control show --group lobby --id visitor "A visitor for you"
control list | grep '^visitor .*active' >/dev/null || fail "the popup is not shown"

step "ask the gateway for it"
mkfifo "$folder/gateway-ready"
chroot "$system" env POPUP_BROKER_INGRESS="$ingress" POPUP_BROKER_EGRESS="$egress" popup-gateway run \
    --config /etc/popup-gateway/popup-gateway.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0 \
    > "$folder/gateway-ready" 2> "$folder/gateway.log" &
gateway=$!
line=
read -r -t 30 line < "$folder/gateway-ready" || { cat "$folder/gateway.log" >&2; fail "the gateway is not ready"; }
url=$(sed -n 's/.*http=\([^ ]*\).*/\1/p' <<< "$line")
# The gateway listens before it has reached the broker.
shown=
for _ in $(seq 60); do
    shown=$(curl --silent --max-time 5 --header "Authorization: Bearer $token" "$url/v1/state/lobby" || true)
    [[ "$shown" != *"A visitor for you"* ]] || break
    sleep 0.5
done
[[ "$shown" == *"A visitor for you"* ]] || fail "the gateway does not show the popup but: $shown"
kill "$gateway"
wait "$gateway" || fail "the gateway ended with $?"
gateway=
stop

step "upgrade"
# The administrator has edited one configuration, and left the other as it was installed.
echo '# Kept by the upgrade.' >> "$system/etc/popup-broker/popup-broker.yaml"
mapfile -t files < <(of_revision 2)
# As unattended-upgrades does: nobody is there to answer dpkg.
apt install --no-install-recommends -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "${files[@]}"
for package in "${packages[@]}"; do
    inside dpkg-query --show --showformat='${db:Status-Abbrev} ${Version}\n' "$package" | grep '^ii .*-2$' >/dev/null \
        || fail "$package is not upgraded"
done
configuration=$system/etc/popup-broker/popup-broker.yaml
grep -q 'Kept by the upgrade' "$configuration" || fail "the edited configuration was replaced"
if grep -qF "${changed[popup-broker]}" "$configuration"; then fail "the edited configuration was changed"; fi
grep -qF "${changed[popup-broker]}" "$configuration.dpkg-dist" || fail "the new configuration is not next to the edited one"
grep -qF "${changed[popup-gateway]}" "$system/etc/popup-gateway/popup-gateway.yaml" \
    || fail "the configuration that nobody edited was not replaced"
inside popup-gateway check-config /etc/popup-gateway/popup-gateway.yaml >/dev/null \
    || fail "popup-gateway check-config after the upgrade: the tokens, or the new configuration"
start
control list | grep '^visitor .*active' >/dev/null || fail "the popup is gone after the upgrade"
stop

# The upgraded broker reads the data directory of version 0.1.0, as Documentation/Upgrading.md says.
readonly data=$system/var/lib/private/popup-broker
mv "$data" "$folder/data"
for kind in commands:canteen snapshot:till-3; do
    step "start on data of version 0.1.0: ${kind%:*}"
    rm -rf "$data"
    cp -r "Tests/ProcessTests/Fixtures/data-0.1.0/${kind%:*}" "$data"
    start
    control list > "$folder/list" || fail "the broker does not answer"
    # A popup that both have, and one of this directory alone.
    for id in visitor "${kind#*:}"; do
        grep "^$id " "$folder/list" >/dev/null || { cat "$folder/list" >&2; fail "the popup $id of version 0.1.0 is gone"; }
    done
    if grep ' critical ' "$folder/broker.log" >&2; then fail "the broker cannot use all that version 0.1.0 wrote"; fi
    stop
done
rm -rf "$data"
mv "$folder/data" "$data"

step "remove"
apt remove "${packages[@]}"
[ ! -e "$system/usr/bin/popup-broker" ] || fail "the program is still there"
[ -e "$system/etc/popup-broker/popup-broker.yaml" ] || fail "the configuration is gone"
[ -e "$system/var/lib/private/popup-broker/mark" ] || fail "the data is gone"
# What cannot be made again: the key, and the tokens of clients.
[ -e "$system/etc/popup-broker/broker.key" ] || fail "the key is gone"
[ -e "$system/etc/popup-gateway/tokens.yaml" ] || fail "the tokens are gone"

step "purge"
apt purge "${packages[@]}"
for path in /etc/popup-broker /etc/popup-gateway /var/lib/private/popup-broker /var/lib/popup-broker; do
    [ ! -e "$system$path" ] || fail "$path is still there"
done
left=$(inside dpkg-query --list | grep -c '^.. *popup' || true)
[ "$left" = 0 ] || fail "dpkg still knows the packages"
step "all well"
