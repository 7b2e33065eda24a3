#!/usr/bin/env bash
# Installs programs with their units, configurations, manual pages and completions, or removes them. An existing
# configuration stays as it is; neither it nor the data is removed.
#
#   PREFIX=/usr/local DESTDIR= PROGRAMS="popup-broker popupctl" BIN=directory-of-the-binaries install.sh install
#   PREFIX=/usr/local DESTDIR= install.sh uninstall
#   PROGRAMS="popup-broker popupctl" install.sh build
#   PREFIX=/usr/local PROGRAMS="popup-broker popupctl" install.sh next
#
# With popup-gateway in PROGRAMS, the gateway is installed, too. Without BIN, the binaries are built: a release build, some
# minutes. `build` does only that, and prints their directory. `uninstall` removes all programs. `next` prints the commands that
# start the installed services, as `install` does at its end where systemd runs.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
readonly all=(popup-broker popupctl popup-gateway)
read -r -a programs <<< "${PROGRAMS:-popup-broker popupctl}"
for program in "${programs[@]}"; do
    [[ " ${all[*]} " == *" $program "* ]] || { echo "install: there is no program $program; there are ${all[*]}" >&2; exit 64; }
done

# Where each kind of file goes.
bash_completion() { echo "$root$prefix/share/bash-completion/completions/$1"; }
zsh_completion() { echo "$root$prefix/share/zsh/site-functions/_$1"; }
fish_completion() { echo "$root$prefix/share/fish/vendor_completions.d/$1.fish"; }
manual() { echo "$root$prefix/share/man/man1/$1.1"; }
unit() { echo "$root$prefix/lib/systemd/system/$1"; }
configuration() { echo "$root/etc/$1/$1.yaml"; }

# Builds the programs, and prints the directory that has all of them.
build() {
    local program path bin=$PWD/.build/install
    local -a options=(-c release --static-swift-stdlib --disable-local-rpath)
    mkdir -p "$bin"
    for program in "${programs[@]}"; do
        path=.
        [ "$program" != popup-gateway ] || path=Gateway
        swift build --package-path "$path" "${options[@]}" --product "$program" >&2
        ln -sf "$(swift build --package-path "$path" "${options[@]}" --show-bin-path)/$program" "$bin/$program"
    done
    echo "$bin"
}

# Writes standard input to a file that others may read.
write() { # FILE
    install -d "$(dirname "$1")"
    cat > "$1"
    chmod 644 "$1"
}

install_all() {
    local bin=${BIN:-} program other file
    local -a others
    [ -n "$bin" ] || bin=$(build)
    for program in "${programs[@]}"; do
        install -D -m 755 "$bin/$program" "$root$prefix/bin/$program"
        for shell in bash zsh fish; do
            # What a shell reads is no program: without the line that names an interpreter.
            "$bin/$program" --generate-completion-script "$shell" | sed '1{/^#!/d}' | write "$("${shell}_completion" "$program")"
        done
    done
    for program in "${programs[@]}"; do
        others=()
        for other in "${programs[@]}"; do [ "$other" = "$program" ] || others+=("$other(1)"); done
        "$bin/$program" --experimental-dump-help | Scripts/man_page.py "${others[@]}" | write "$(manual "$program")"
        for file in Packaging/systemd/"$program".*; do
            [ -e "$file" ] || continue
            sed "s|/usr/bin/$program|$prefix/bin/$program|" "$file" | write "$(unit "$(basename "$file")")"
        done
        [ ! -e "Packaging/$program.yaml" ] || [ -e "$(configuration "$program")" ] || write "$(configuration "$program")" < "Packaging/$program.yaml"
    done
}

# Prints the commands that start the services of the programs.
print_next() {
    local program service
    local -a services=()
    for program in "${programs[@]}"; do
        [ -e "Packaging/systemd/$program.service" ] || continue
        service=$program
        # Elsewhere systemd looks for no units, and is told the file.
        case $prefix in /usr | /usr/local) ;; *) service=$prefix/lib/systemd/system/$program.service ;; esac
        services+=("$service")
    done
    [ ${#services[@]} -gt 0 ] || return 0
    printf 'systemctl daemon-reload\nsystemctl enable --now %s\n' "${services[*]}"
}

uninstall_all() {
    local program
    for program in "${all[@]}"; do
        rm -f "$root$prefix/bin/$program" "$(manual "$program")" "$(bash_completion "$program")" \
            "$(zsh_completion "$program")" "$(fish_completion "$program")" "$(unit "$program.service")" \
            "$(unit "$program.socket")"
    done
}

case ${1:-} in
    install)
        install_all
        if [ -z "$root" ] && [ -d /run/systemd/system ]; then
            started=$(print_next)
            [ -z "$started" ] || printf 'To start what was installed:\n\n%s\n' "$started"
        fi
        ;;
    uninstall) uninstall_all ;;
    build) build ;;
    next) print_next ;;
    *)
        echo "usage: install.sh install|uninstall|build|next" >&2
        exit 64
        ;;
esac
