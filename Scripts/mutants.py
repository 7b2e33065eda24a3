#!/usr/bin/env python3
"""Puts small bugs into a copy of the committed tree, one after another, and shows that the tests find each.

    Scripts/mutants.py                  all mutants
    Scripts/mutants.py NAME …           these
    Scripts/mutants.py --list           their names
    Scripts/mutants.py --check          whether each still applies to the code as it is, and its tests are there; a moment

Each is tried by the simulation of the broker and, if it is one of the scheduler that the simulation does not find, by the
comparison with the reference scheduler; one of the nodes that share a log by their simulation; one that names tests by
those. One of a file in `Fleet` is tried by tests of that package, which it names. The tests end with the first issue. Ends
with 0 when each mutant was found by one of them, 1 when one survived, 65 when one no longer applies. It takes a minute or
two a mutant.

A mutant is a paragraph of Scripts/mutants/*.txt: its name, its file, the suite of tests that has to find it, with its
target, if that is another than above, and what is replaced. Lines with `-` are what is in the file, once; the lines with
`+` behind them stand there instead. A line with neither goes on with the one before, as it stands.

    mutant NAME
    in FILE
    by TARGET.SUITE
    - old
    + new
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEEDS = os.environ.get("SEEDS", "160")
LONGEST = 900  # seconds: a mutant may make the broker spin
AFTER_ISSUE = 2  # seconds: the lines that explain an issue follow it

# Only what the tests need is built: they, and all that they depend on. Appended to the copy's manifest.
NEEDED = """
@MainActor func collectNeeded(by tests: Set<String>) -> Set<String> {
    var needed = tests
    var count = 0
    while needed.count > count {
        count = needed.count
        for target in package.targets where needed.contains(target.name) {
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): needed.insert(name)
                default: break
                }
            }
        }
    }
    return needed
}
let needed = collectNeeded(by: [%s])
package.targets.removeAll { !needed.contains($0.name) }
package.products = []
"""

# Which tests have to find a mutant of which files, unless the mutant names others; and the target of each.
FLEET, REFERENCE = "FleetSimulationTests", "DifferentialTests"
# Without the fleets of brokers: their mutants name them.
SIMULATION = "BrokerSimulationTests.(Simulation|Regression|RightsSimulation)Tests"
FINDERS = [
    ("Fleet/", []),
    ("Sources/PopupFleet/", [FLEET]),
    ("Sources/PopupJournal/Shared/", [FLEET]),
    ("Sources/PopupScheduling/", [SIMULATION, REFERENCE]),
    ("Sources/", [SIMULATION]),
]
TARGETS = {FLEET: "PopupFleetTests", SIMULATION: "BrokerSimulationTests", REFERENCE: "PopupSchedulingTests"}


class Mutant:
    def __init__(self, name):
        self.name = name
        self.file = None
        self.changes = []
        self.tests = []

    @property
    def package(self):
        """The folder of the package whose tests have to find it."""
        return "Fleet" if self.file.startswith("Fleet/") else "."

    def targets(self):
        return {TARGETS.get(tests, tests.split(".")[0]) for tests in self.tests}

    def apply(self, tree, writing=True):
        """Returns why it can't be, if it can't."""
        path = tree / self.file
        if not path.exists():
            return f"{self.file} is not there"
        text = path.read_text()
        for old, new in self.changes:
            if text.count(old) != 1:
                return f"{self.file} holds {text.count(old)} times: {old.strip()}"
            text = text.replace(old, new)
        if writing:
            path.write_text(text)
        return None


def read_mutants():
    mutants = []
    for path in sorted((ROOT / "Scripts/mutants").glob("*.txt")):
        for paragraph in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
            if not lines:
                continue
            mutant = Mutant(lines[0].removeprefix("mutant "))
            mutant.file = lines[1].removeprefix("in ")
            mutant.tests = next(tests for directory, tests in FINDERS if mutant.file.startswith(directory))
            changes = lines[2:]
            if changes[0].startswith("by "):
                mutant.tests = [changes.pop(0).removeprefix("by ")]
            old, new = [], []
            side = old
            for line in changes + ["- "]:
                if line[0] == "-" and new:
                    mutant.changes.append(("\n".join(old), "\n".join(new)))
                    old, new = [], []
                if line[0] in "-+":
                    side = old if line[0] == "-" else new
                    line = line[2:]
                side.append(line)
            mutants.append(mutant)
    return mutants


def run(tree, *command, until=None, **environment):
    """Returns the exit status and what was printed. Ends the command soon after a line that contains `until`."""
    # The copy is built in a directory of its own.
    inherited = {name: value for name, value in os.environ.items() if name != "SWIFTPM_BUILD_DIR"}
    process = subprocess.Popen(
        command, cwd=tree, env=inherited | environment, text=True, errors="replace", start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    late = threading.Timer(LONGEST, end_group, [process])
    enough = threading.Timer(AFTER_ISSUE, end_group, [process])
    late.start()
    lines = []
    for line in process.stdout:
        lines.append(line)
        if until and until in line:
            until = None
            enough.start()
    status = process.wait()
    ended = not late.is_alive()
    late.cancel()
    enough.cancel()
    return "it does not end" if ended else status, "".join(lines)


def end_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def build(package):
    """Returns the first errors, if it can't be built."""
    status, output = run(package, "swift", "build", "--build-tests")
    errors = [line for line in output.splitlines() if "error:" in line]
    return "\n".join(errors[:10]) or str(status) if status != 0 else None


def finder(package, tests):
    """The seed that fails and what it says; nothing when all pass."""
    status, output = run(
        package, "swift", "test", "--skip-build", "--filter", tests, until="recorded an issue", POPUP_SEEDS=SEEDS,
        POPUP_QUICK="1")
    if status == 0:
        return None
    found = re.search(r"seed (\d+): (.*)", output)
    if found:
        return f"seed {found[1]}: {found[2][:70]}"
    named = re.search(r'Test "([^"]+)".* recorded an issue', output)
    if named:
        return f"the test `{named[1]}`"
    begun = re.findall(r"simulating seed (\d+)", output)
    what = status if isinstance(status, str) else "the process ends"
    return f"seed {begun[-1]}: {what}" if begun else str(what)


def main(names):
    mutants = read_mutants()
    if names == ["--list"]:
        for mutant in mutants:
            print(mutant.name)
        return 0
    if names == ["--check"]:
        return check(mutants)
    unknown = set(names) - {mutant.name for mutant in mutants}
    if unknown:
        print(f"there is no mutant {', '.join(sorted(unknown))}; see --list", file=sys.stderr)
        return 64
    chosen = [mutant for mutant in mutants if not names or mutant.name in names]
    if missing := missing_suites(chosen):
        print(f"there are no tests {', '.join(missing)}", file=sys.stderr)
        return 65

    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        tree = pathlib.Path(directory) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, "HEAD"], cwd=ROOT, check=True)
        try:
            # The package in Fleet needs the other one as a whole: its manifest is not shortened yet.
            found = [try_all(part, tree, package) for package in ("Fleet", ".")
                     if (part := [mutant for mutant in chosen if mutant.package == package])]
            return max(found, default=0)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=False)


def missing_suites(mutants):
    """The suites that mutants name and no target has. They would find nothing: no test fails if none runs."""
    missing = []
    for package, tests in sorted({(mutant.package, tests) for mutant in mutants for tests in mutant.tests}):
        target, pattern = TARGETS.get(tests, tests.split(".")[0]), tests.split(".")[-1]
        found = set()
        for path in (ROOT / package / "Tests" / target).rglob("*.swift"):
            found |= set(re.findall(r"^[^/\n]*\b(?:struct|class|enum|actor) (\w+)", path.read_text(), re.MULTILINE))
        # Of `(First|Second)Tests` all have to be there.
        several = re.fullmatch(r"\((.+)\)(\w+)", pattern)
        suites = [one + several[2] for one in several[1].split("|")] if several else [pattern]
        missing += [f"{target}.{suite}" for suite in suites if suite not in found]
    return missing


def check(mutants):
    suites = missing_suites(mutants)
    for suite in suites:
        print(f"mutants name the tests {suite}, which are not there", file=sys.stderr)
    outdated = [(mutant.name, problem) for mutant in mutants if (problem := mutant.apply(ROOT, writing=False))]
    for name, problem in outdated:
        print(f"the mutant {name} no longer applies: {problem}", file=sys.stderr)
    manifests = [check_manifest(package, [mutant for mutant in mutants if mutant.package == package])
                 for package in (".", "Fleet")]
    return 0 if all(manifests) and not outdated and not suites else 65


def check_manifest(package, mutants):
    """Whether the manifest of a package with only what is needed has all of that."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        manifest = pathlib.Path(directory) / "Package.swift"
        shutil.copy(ROOT / package / "Package.swift", manifest)
        shorten(manifest, mutants)
        status, output = run(directory, "swift", "package", "dump-package")
        missing = set()
        if status == 0:
            names = {target["name"] for target in json.loads(output[output.index("{"):])["targets"]}
            missing = set().union(*(mutant.targets() for mutant in mutants)) - names
        if status != 0 or missing:
            print(f"the manifest with only what is needed: {', '.join(missing) + ' is missing' if missing else output}", file=sys.stderr)
        return status == 0 and not missing


def shorten(manifest, mutants):
    """Leaves in a manifest only what finding the mutants needs."""
    names = sorted(set().union(*(mutant.targets() for mutant in mutants)))
    manifest.write_text(manifest.read_text() + NEEDED % ", ".join(f'"{name}"' for name in names))


def try_all(mutants, tree, package):
    here = tree / package
    shorten(here / "Package.swift", mutants)
    print("building the copy without a mutant", flush=True)
    if errors := build(here):
        print(f"cannot build:\n{errors}", file=sys.stderr)
        return 70
    for tests in sorted(set().union(*(mutant.tests for mutant in mutants))):
        found = finder(here, tests)
        if found:
            print(f"{tests} fails without a mutant: {found}", file=sys.stderr)
            return 70

    survivors, outdated = [], []
    for mutant in mutants:
        problem = mutant.apply(tree)
        if problem:
            outdated.append(mutant.name)
            print(f"{mutant.name}\n    does not apply: {problem}", flush=True)
            continue
        if errors := build(here):
            outdated.append(mutant.name)
            print(f"{mutant.name}\n    cannot be built: {errors}", flush=True)
            subprocess.run(["git", "checkout", "--quiet", "--", mutant.file], cwd=tree, check=True)
            continue
        print(mutant.name, flush=True)
        for tests in mutant.tests:
            how = finder(here, tests)
            print(f"    {tests:22}  {how or 'not found'}", flush=True)
            if how:
                break
        else:
            survivors.append(mutant.name)
        subprocess.run(["git", "checkout", "--quiet", "--", mutant.file], cwd=tree, check=True)

    print(f"{len(mutants) - len(survivors) - len(outdated)} of {len(mutants)} mutants found")
    if survivors:
        print(f"not found: {', '.join(survivors)}", file=sys.stderr)
    if outdated:
        print(f"no longer apply: {', '.join(outdated)}", file=sys.stderr)
    return 65 if outdated else 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
