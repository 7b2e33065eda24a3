# shellcheck shell=bash
# Sourced: builds programs of Benchmarks/load.
readonly built=.build/bench
mkdir -p "$built"

# Its name, pkg-config's name of its library, its sources.
compile() {
    local name=$1 flags
    read -ra flags < <(pkg-config --cflags --libs "$2")
    cc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -o "$built/$name" "${@:3}" "${flags[@]}"
}
