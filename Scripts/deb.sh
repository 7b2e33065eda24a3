#!/usr/bin/env bash
# Makes the Debian packages popup-broker, popupctl and popup-gateway for this machine's architecture, and checks them with lintian.
# What their control file needs is in Packaging/debian. Scripts/licenses.py adds the licenses of what the programs contain.
#
#   BIN=directory-of-the-binaries OUT=.build/deb REVISION=1 deb.sh
#
# Without BIN, the binaries are built: a release build with a static Swift runtime, some minutes.
#
# Exit codes: 69 a tool is missing (the message says which package has it); otherwise that of the step that fails.
set -euo pipefail
cd "$(dirname "$0")/.."

# Before the build, which takes long.
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian systemd-analyze:systemd; do
    command -v "${tool%:*}" >/dev/null && continue
    printf 'deb: there is no %s; `apt-get install --no-install-recommends %s` installs it\n' "${tool%:*}" "${tool#*:}" >&2
    exit 69
done

readonly source=$PWD
readonly out=${OUT:-.build/deb}
readonly revision=${REVISION:-1}

export PROGRAMS="popup-broker popupctl popup-gateway"
bin=${BIN:-}
[ -n "$bin" ] || bin=$(Scripts/install.sh build)
bin=$(realpath "$bin")
version=$("$bin/popup-broker" --version | sed -n 's/^popup-broker \([0-9.]*\).*/\1/p')
date=$(git log -1 --format=%ct 2>/dev/null || date +%s)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/package"
cp -r Packaging/debian "$folder/package/debian"
# Each package has its own, since each program contains other code. debhelper finds these files by their names.
read -r -a programs <<< "$PROGRAMS"
Scripts/licenses.py --debian "$folder/package/debian" "${programs[@]}"
for program in "${programs[@]}"; do
    echo "debian/$program.licenses/licenses.txt" > "$folder/package/debian/$program.docs"
done
cat > "$folder/package/debian/changelog" <<END
popup-broker ($version-$revision) unstable; urgency=medium

  * What changed is in /usr/share/doc/popup-broker/changelog.gz.

 -- PopupBroker maintainers <maintainers@popupbroker.invalid>  $(date -R -u -d "@$date")
END

(
    cd "$folder/package"
    SOURCE=$source BIN=$bin SOURCE_DATE_EPOCH=$date dpkg-buildpackage --build=binary --unsigned-source \
        --unsigned-changes --no-check-builddeps >&2
)
for unit in Packaging/systemd/*.service; do
    # 2 of 10, where low is good.
    if ! systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" >"$folder/security" 2>&1; then
        cat "$folder/security" >&2
        printf 'deb: systemd-analyze security rates %s worse than 2 of 10, or cannot rate it; its words stand above\n' "$unit" >&2
        exit 1
    fi
done
mkdir -p "$out"
cp "$folder"/*.deb "$out/"
lintian --fail-on error,warning --tag-display-limit 0 "$folder"/*.deb
ls "$out"/*_"$version-$revision"_*.deb
