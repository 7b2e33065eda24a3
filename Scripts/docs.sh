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

# Not everything: that would be protobuf's compiler, too. Only the first build needs a new plan.
compile --target "${products%%$'\n'*}"
for product in $products; do swift build --target "$product"; done
bin=$(swift build --show-bin-path)
triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
# The toolchain's own program: `swift package dump-symbol-graph` builds everything once more, protobuf's compiler too.
extract=$(dirname "$docc")/swift-symbolgraph-extract
[ -x "$extract" ] || extract=$(command -v swift-symbolgraph-extract)
modules=(-I "$bin/Modules")
while read -r map; do
    modules+=(-Xcc "-fmodule-map-file=$map")
done < <(find Sources .build/checkouts/*/Sources "$bin"/*.build -maxdepth 3 -name module.modulemap -not -path "*-tool.build/*")
readonly bin triple extract modules

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archives=()
status=0
for product in $products; do
    mkdir "$work/$product"
    "$extract" -module-name "$product" "${modules[@]}" -target "$triple" -minimum-access-level public \
        -skip-synthesized-members -output-dir "$work/$product"
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
