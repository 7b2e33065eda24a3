#!/usr/bin/env bash
# Installs the broker and popupctl with their unit, configuration, manual pages and completions, or removes them. An
# existing configuration stays as it is; neither it nor the data is removed.
#
#   PREFIX=/usr/local DESTDIR= BIN=directory-of-the-binaries install.sh install|uninstall|build
#
# Without BIN, the binaries are built: a release build, some minutes. `build` does only that, and prints their directory.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
readonly programs=(popup-broker popupctl)
readonly configuration=$root/etc/popup-broker/popup-broker.yaml

# Where each kind of file goes.
bash_completion() { echo "$root$prefix/share/bash-completion/completions/$1"; }
zsh_completion() { echo "$root$prefix/share/zsh/site-functions/_$1"; }
fish_completion() { echo "$root$prefix/share/fish/vendor_completions.d/$1.fish"; }
manual() { echo "$root$prefix/share/man/man1/$1.1"; }
readonly unit=$root$prefix/lib/systemd/system/popup-broker.service

build() {
    local program
    for program in "${programs[@]}"; do
        swift build -c release --static-swift-stdlib --disable-local-rpath --product "$program" >&2
    done
    swift build -c release --static-swift-stdlib --disable-local-rpath --show-bin-path
}

# Writes standard input to a file that others may read.
write() { # FILE
    install -d "$(dirname "$1")"
    cat > "$1"
    chmod 644 "$1"
}

install_all() {
    local bin=${BIN:-} program other
    [ -n "$bin" ] || bin=$(build)
    for program in "${programs[@]}"; do
        install -D -m 755 "$bin/$program" "$root$prefix/bin/$program"
        for shell in bash zsh fish; do
            # What a shell reads is no program: without the line that names an interpreter.
            "$bin/$program" --generate-completion-script "$shell" | sed '1{/^#!/d}' | write "$("${shell}_completion" "$program")"
        done
    done
    for program in "${programs[@]}"; do
        other=popupctl
        [ "$program" = popup-broker ] || other=popup-broker
        "$bin/$program" --experimental-dump-help | Scripts/man_page.py "$other(1)" | write "$(manual "$program")"
    done
    sed "s|/usr/bin/popup-broker|$prefix/bin/popup-broker|" Packaging/systemd/popup-broker.service | write "$unit"
    [ -e "$configuration" ] || write "$configuration" < Packaging/popup-broker.yaml
}

uninstall_all() {
    local program
    for program in "${programs[@]}"; do
        rm -f "$root$prefix/bin/$program" "$(manual "$program")" "$(bash_completion "$program")" \
            "$(zsh_completion "$program")" "$(fish_completion "$program")"
    done
    rm -f "$unit"
}

case ${1:-} in
    install) install_all ;;
    uninstall) uninstall_all ;;
    build) build ;;
    *)
        echo "usage: install.sh install|uninstall|build" >&2
        exit 64
        ;;
esac
