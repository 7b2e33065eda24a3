#!/usr/bin/env bash
# Writes the reference of all library products with the DocC of the toolchain, as a website in .build/docs. A warning of
# DocC (a parameter without documentation, a broken link) is an error.
#
#     python3 -m http.server --directory .build/docs     # then http://localhost:8000/documentation
set -euo pipefail
# shellcheck source=Scripts/environment.sh
source "$(dirname "$0")/environment.sh"

readonly output=.build/docs

# The toolchain's own: no plugin, which each first build would have to fetch.
docc=$(command -v docc || true)
if [ -z "$docc" ]; then
    docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
fi
readonly docc
if [ ! -x "$docc" ]; then
    echo "docs: the toolchain has no docc; install one from swift.org" >&2
    exit 69
fi

products=$(swift package dump-package | python3 -c '
import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]:
        print(product["name"])')
readonly products

swift build
graphs=$(swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members |
    tee /dev/stderr | sed -n 's/^Files written to //p')
readonly graphs
if [ -z "$graphs" ]; then
    echo "docs: there are no symbol graphs" >&2
    exit 70
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archives=()
status=0
for product in $products; do
    mkdir "$work/$product"
    find "$graphs" -name "$product.symbols.json" -exec cp {} "$work/$product" \;
    find "$graphs" -name "$product@*.symbols.json" -exec cp {} "$work/$product" \;
    printf 'docs: %s\n' "$product"
    "$docc" convert --warnings-as-errors --additional-symbol-graph-dir "$work/$product" \
        --fallback-display-name "$product" --fallback-bundle-identifier "popup-broker.$product" \
        --output-path "$work/$product.doccarchive" || status=65
    archives+=("$work/$product.doccarchive")
done
if [ "$status" -ne 0 ]; then
    echo "docs: DocC has warnings; they stand above" >&2
    exit "$status"
fi

rm -rf "$output"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name PopupBroker --output-path "$output"
printf 'docs: written to %s (%s)\n' "$output" "$(du -sh "$output" | cut -f 1)"
