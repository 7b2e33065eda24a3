#!/usr/bin/env bash
# Runs the coverage-guided fuzzers of Tests/Fuzz (libFuzzer, in a release build of their own):
#
#   Scripts/fuzz.sh                                lists the targets
#   TARGET=name FUZZ_SECONDS=60 Scripts/fuzz.sh    runs one; without TARGET all in turn, so many seconds in all
#   RUNS=100 SEED=1 Scripts/fuzz.sh                runs so many executions instead, times what a target does in the same time:
#                                                  with the same code and seed the same ones, from the committed corpus alone
#   MERGE=yes … Scripts/fuzz.sh                    then takes what is new into Tests/Fuzz/Corpus, minimized
#   SANITIZE=address … Scripts/fuzz.sh             with AddressSanitizer
#   Scripts/fuzz.sh build                          builds them, and runs none
#   Scripts/fuzz.sh seeds                          writes the seeds that only the code can write
#
# What is found along the way is kept in .build-fuzz/corpus for the next run. Ends with 1 when there is a finding: its input
# is in .build-fuzz/artifacts.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

# It goes before the directory that the build below names.
unset SWIFTPM_BUILD_DIR

readonly kept=16 # so many inputs of a target are merged at most, the smallest first
readonly largest=2048 # in bytes: one of them
# How many executions a target makes while the slowest makes one.
declare -A pace=([journals]=1 [frames-json]=5 [frames-binary]=10 [settings]=10 [keys]=10 [configuration]=15 [subscriptions]=20 [rights]=5
    [recordings]=20 [client]=40 [outbox]=100 [snapshots]=200 [time-zones]=200 [shared-log]=10 [shards]=100
    [state-feed]=20)
mapfile -t all < <(sed -n 's/^    case [A-Za-z]* = "\([a-z-]*\)"$/\1/p' Tests/Fuzz/Entries/FuzzTarget.swift)

if [ -z "${TARGET:-}${FUZZ_SECONDS:-}${RUNS:-}${1:-}" ]; then
    printf 'targets: %s\n' "${all[*]}"
    printf 'run one: make fuzz TARGET=%s SECONDS=60; all: make fuzz SECONDS=600; so that it can be repeated: make fuzz RUNS=100\n' "${all[0]}"
    exit 0
fi
if [ -n "${RUNS:-}" ] && [ -n "${FUZZ_SECONDS:-}${MERGE:-}" ]; then
    printf 'fuzz: RUNS counts executions, and leaves the corpora alone: name neither SECONDS nor MERGE with it\n' >&2
    exit 64
fi
targets=("${TARGET:-${all[@]}}")
[ -n "${TARGET:-}" ] || targets=("${all[@]}")
for target in "${targets[@]}"; do
    [[ " ${all[*]} " == *" $target "* ]] || { printf 'fuzz: no target %s; there are: %s\n' "$target" "${all[*]}" >&2; exit 64; }
    [ -n "${pace[$target]:-}" ] || { printf 'fuzz: give the target %s a pace\n' "$target" >&2; exit 70; }
done
each=$((${FUZZ_SECONDS:-60} / ${#targets[@]}))
[ "$each" -gt 0 ] || each=1

scratch=.build-fuzz
sanitizers=fuzzer
[ "${SANITIZE:-}" != address ] || { scratch=.build-fuzz-address sanitizers=fuzzer,address; }
build=(swift build -c release --scratch-path "$scratch" --product fuzz -Xswiftc -enable-testing
    -Xswiftc "-sanitize=$sanitizers" -Xcc -fsanitize=fuzzer-no-link -Xswiftc -use-ld=lld)
FUZZ=1 "${build[@]}"
[ "${1:-}" != build ] || exit 0
fuzz=$(FUZZ=1 "${build[@]}" --show-bin-path)/fuzz
if [ "${1:-}" = seeds ]; then
    exec "$fuzz" snapshots-of Tests/Fuzz/Corpus/frames-json Tests/Fuzz/Corpus/snapshots
fi

folder=.build-fuzz
artifacts=$folder/artifacts
mkdir -p "$artifacts" "$folder/logs"
Scripts/fuzz-seeds.py --words >"$folder/words"
# A trap tells where it was by itself; LeakSanitizer needs what a container may not have.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
# What hash tables do, where things lie, and the numbers of threads (a mutex holds one) must not differ from one run to the next.
fixed=()
if [ -n "${RUNS:-}" ]; then
    export SWIFT_DETERMINISTIC_HASHING=1
    # A container may forbid them; then what is compared with addresses and threads may differ.
    for wrapper in "unshare --fork --pid setarch -R" "unshare --map-root-user --fork --pid setarch -R" "setarch -R"; do
        read -ra words <<<"$wrapper"
        "${words[@]}" true 2>/dev/null || continue
        fixed=("${words[@]}")
        break
    done
fi
# With RUNS, an input has time enough also on a machine that is slow and busy: only one that never ends is found by the clock.
longest=20
[ -z "${RUNS:-}" ] || longest=200
options=(-print_final_stats=1 -max_len=8192 -timeout="$longest" -rss_limit_mb=2048 -use_value_profile=0 -dict="$folder/words")

merge() { # TARGET
    local merged="$folder/merged/$1" count=0
    rm -rf "$merged"
    mkdir -p "$merged"
    "$fuzz" "$1" -merge=1 -use_counters=0 "$merged" "Tests/Fuzz/Corpus/$1" "$folder/corpus/$1" >"$folder/logs/$1.merge" 2>&1
    find "Tests/Fuzz/Corpus/$1" -name 'found-*' -delete
    while read -r file; do
        cmp -s "$file" "Tests/Fuzz/Corpus/$1/$(basename "$file")" && continue
        find "Tests/Fuzz/Corpus/$1" -type f -exec cmp -s "$file" {} \; -print | grep -q . && continue
        cp "$file" "Tests/Fuzz/Corpus/$1/found-$(basename "$file" | cut -c1-12)"
        count=$((count + 1))
        [ "$count" -lt "$kept" ] || break
    done < <(find "$merged" -type f -size "-${largest}c" -printf '%s %p\n' | sort -n | cut -d' ' -f2)
    printf '%s: merged %s inputs\n' "$1" "$count"
}

status=0
table=$(printf '%-15s %12s %9s %8s %9s %s' target executions per-s edges features findings)
for target in "${targets[@]}"; do
    corpus=$folder/corpus/$target
    log=$folder/logs/$target
    if [ -n "${RUNS:-}" ]; then
        # What earlier runs kept would lead elsewhere.
        corpus=$folder/repeated/$target
        rm -rf "$corpus"
        # Nor is it looked into again after so many seconds.
        bound=(-reload=0 -runs=$((RUNS * ${pace[$target]})) -seed="${SEED:-1}")
        printf '%s: %s executions from the seed %s\n' "$target" $((RUNS * ${pace[$target]})) "${SEED:-1}"
    else
        bound=(-max_total_time="$each" ${SEED:+-seed="$SEED"})
        printf '%s: %s s\n' "$target" "$each"
    fi
    mkdir -p "$corpus"
    found=none
    if ! "${fixed[@]}" "$fuzz" "$target" "${options[@]}" "${bound[@]}" -artifact_prefix="$artifacts/$target-" \
        "$corpus" "Tests/Fuzz/Corpus/$target" >"$log" 2>&1; then
        status=1
        found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        # What it says for itself: the finding, or the trap's place.
        grep -v 4fuzz "$log" | grep -m 3 -E '^finding:|Fatal error|SUMMARY:|^ +#[0-9]+ .* in \$s' | cut -c1-200 || true
    fi
    table+=$'\n'$(awk -v target="$target" -v found="$found" '
        /cov: / { for (i = 1; i < NF; i++) { if ($i == "cov:") cov = $(i + 1); if ($i == "ft:") ft = $(i + 1) } }
        /inline 8-bit counters/ && match($0, /\([0-9]+ inline/) { of = substr($0, RSTART + 1, RLENGTH - 8) }
        /stat::number_of_executed_units/ { runs = $2 }
        /stat::average_exec_per_sec/ { rate = $2 }
        END { printf "%-15s %12d %9d %8d %9d %s", target, runs, rate, cov, ft, found }' "$log")
    if [ "${MERGE:-}" = yes ] && [ "$found" = none ]; then merge "$target"; fi
done
printf '\n%s\n' "$table"
exit "$status"
