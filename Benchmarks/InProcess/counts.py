#!/usr/bin/env python3
"""Counts what the broker's hot path costs: instructions, allocations, retains, releases, copies of memory per popup.

Each piece of `hot-path` is run under valgrind's callgrind for COUNT operations and for twice as many; the difference is
what COUNT of them cost, without the start. The counts are the same on any machine with the same compiler, save for the
C library's choice of how to copy: so they are compared with committed thresholds, which times can't be.

Ends with 1 when a piece costs more than its threshold: 5 % more instructions, or any more allocations, retains, releases.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# One interval in which the broker repeats the state of ten of its thousand groups, and whole batches of 64.
COUNT = 25_600
MARGIN = 1.05

# What is counted by the entries into functions of these names. An entry from one of the same family is part of it.
FAMILIES = {
    "allocations": re.compile(r"(__libc_)?(malloc|calloc|realloc|memalign|posix_memalign|aligned_alloc)$"),
    "retains": re.compile(r"_?swift_(\w*_?)?[rR]etain(_n)?_?$"),
    "releases": re.compile(r"_?swift_(\w*_?)?[rR]elease(_n)?_?$"),
    "copies": re.compile(r"_*(memcpy|memmove)(_\w+)?$"),
}
# Told in profiles alone: who has the allocations made.
OBJECTS = re.compile(r"_?swift_allocObject_?$")
# What the mangled names of hot-path's own functions have.
DRIVER = "8hot_path"
COLUMNS = ["instructions", *FAMILIES]


# --- Counting ---------------------------------------------------------------------------------------------------------


class Profile:
    """The sums of one callgrind file: instructions by function, calls by (caller, callee)."""

    def __init__(self, path):
        self.own = collections.Counter()
        self.calls = collections.Counter()
        names = {}

        def name(reference):
            number, _, text = reference.partition(") ")
            number = number.rstrip(")")
            if text:
                # A recursive call has a name of its own.
                names[number] = re.sub(r"'\d+$", "", text)
            return names[number]

        function = callee = None
        is_inclusive = False
        for line in path.read_text().splitlines():
            if line.startswith("fn="):
                function = name(line[4:])
            elif line.startswith("cfn="):
                callee = name(line[5:])
            elif line.startswith("calls="):
                self.calls[function, callee] += int(line[6:].split()[0])
                is_inclusive = True
            elif line[:1] in "0123456789+-*" and line:
                if not is_inclusive:
                    self.own[function] += int(line.split()[1])
                is_inclusive = False

    def minus(self, other):
        self.own.subtract(other.own)
        self.calls.subtract(other.calls)
        return self

    def counts(self, operations):
        """What one operation costs; what `hot-path` does itself is left out."""
        own = sum(count for function, count in self.own.items() if DRIVER not in function)
        result = {"instructions": own / operations}
        for family, names in FAMILIES.items():
            result[family] = sum(count for _, count in self.entries(names)) / operations
        return {column: round(value, 2) for column, value in result.items()}

    def entries(self, names):
        """(caller, calls) of a family's functions."""
        for (caller, callee), count in self.calls.items():
            if names.match(callee) and not names.match(caller) and DRIVER not in caller:
                yield caller, count


def run(program, piece, count, directory):
    out = directory / f"{piece}.{count}"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, piece, str(count)]
    # Tables that hash with a random seed would make each run another.
    environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"counts: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return Profile(out)


def measure(program, pieces, directory):
    """The profile of COUNT operations of each piece."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {(p, n): pool.submit(run, program, p, n, directory) for p in pieces for n in (COUNT, 2 * COUNT)}
        return {p: runs[p, 2 * COUNT].result().minus(runs[p, COUNT].result()) for p in pieces}


def pieces_of(program):
    usage = subprocess.run([program], capture_output=True, text=True).stderr
    return usage.partition("one of ")[2].strip().split(" | ")


# --- Telling ----------------------------------------------------------------------------------------------------------


def table(counts):
    rows = [["a popup", *COLUMNS]]
    for piece, values in counts.items():
        rows.append([piece] + [f"{values[column]:.{0 if column == 'instructions' else 2}f}" for column in COLUMNS])
    widths = [max(map(len, column)) for column in zip(*rows)]
    rows.insert(1, ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]])

    def line(row):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        return f"| {' | '.join(cells)} |"

    return "\n".join(map(line, rows))


def demangled(names):
    done = subprocess.run(["swift", "demangle", "--simplified"], input="\n".join(names), capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else list(names)


def tell_profile(piece, profile, most):
    """The functions in which the most instructions are, and who calls what is counted."""
    print(f"\n{piece}: instructions a popup, by function")
    own = profile.own.most_common(most)
    for (_, count), name in zip(own, demangled([n for n, _ in own])):
        print(f"{count / COUNT:9.1f}  {name}")
    for family, names in {**FAMILIES, "objects": OBJECTS}.items():
        calls = [(caller, count) for caller, count in profile.entries(names) if count >= COUNT / 200]
        if not calls:
            continue
        calls.sort(key=lambda call: -call[1])
        print(f"\n{piece}: {family} a popup, by caller")
        for (_, count), name in zip(calls[:most], demangled([caller for caller, _ in calls[:most]])):
            print(f"{count / COUNT:9.2f}  {name}")


def swift_version():
    text = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    found = re.search(r"Swift version (\S+)", text)
    return found.group(1) if found else "unknown"


# --- Judging ----------------------------------------------------------------------------------------------------------


def compare(counts, thresholds):
    """What is above its threshold, and what is so far below that the threshold should come down."""
    above, below = [], []
    for piece, values in counts.items():
        limits = thresholds.get(piece)
        if limits is None:
            above.append(f"{piece} has no threshold")
            continue
        for column in COLUMNS:
            value, limit = values[column], limits[column]
            most = limit * MARGIN if column in ("instructions", "copies") else limit + 0.01
            least = limit / MARGIN if column in ("instructions", "copies") else limit - 0.01
            if value > most:
                above.append(f"{piece}: {value:g} {column} a popup, the threshold is {limit:g}")
            elif value < least:
                below.append(f"{piece}: {value:g} {column} a popup, the threshold is {limit:g}")
    return above, below


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the built hot-path")
    parser.add_argument("--pieces", nargs="*", help="only these")
    parser.add_argument("--thresholds", type=Path, default=HERE / "thresholds.json")
    parser.add_argument("--update", action="store_true", help="rewrite the thresholds with what was counted")
    parser.add_argument("--profile", type=int, metavar="LINES", help="tell the most expensive functions, too")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        # What valgrind can't read of it: newer debugging information than its own time.
        program = directory / "hot-path"
        subprocess.run(["objcopy", "--strip-debug", options.program, program], check=True)
        profiles = measure(program, options.pieces or pieces_of(options.program), directory)
    counts = {piece: profile.counts(COUNT) for piece, profile in profiles.items()}
    print(table(counts))
    if options.profile:
        for piece, profile in profiles.items():
            tell_profile(piece, profile, options.profile)

    version = swift_version()
    kept = json.loads(options.thresholds.read_text()) if options.thresholds.exists() else {"pieces": {}}
    if options.update:
        pieces = {**kept["pieces"], **counts}
        options.thresholds.write_text(json.dumps({"swift": version, "pieces": pieces}, indent=2) + "\n")
        return
    above, below = compare(counts, kept["pieces"])
    for line in below:
        print(f"counts: better, lower the threshold (--update): {line}")
    if above and kept.get("swift") != version:
        print(f"counts: the thresholds are for Swift {kept.get('swift')}, this is {version}: told, not judged")
        print(*above, sep="\n")
    elif above:
        sys.exit("\n".join(f"counts: {line}" for line in above))


if __name__ == "__main__":
    for tool in ("valgrind", "objcopy"):
        if shutil.which(tool) is None:
            sys.exit(f"counts: {tool} is missing; `make instruction-counts` installs it on Debian")
    main()
