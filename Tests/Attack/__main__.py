"""Attacks a broker from outside and says what it did to a good client.

    BIN=.build/release python3 -B Tests/Attack --long [--only NAME]… [--seed N] [--results FILE]

--only takes the name of an attack or of a family, or the beginning of one. Exits with 0 when every bound held."""

import argparse
import dataclasses
import importlib
import os
import pkgutil
import subprocess
import sys

import attacks
from bounds import LONG, MIB, MOST_MEMORY, SHORT
from runner import run_all
from stage import ATTACKS
from table import as_json, heading, line


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="small and fast, for a debug build; the default")
    parser.add_argument("--long", action="store_true", help="at full size, for a release build")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the attacks")
    parser.add_argument("--results", metavar="FILE", help="write all numbers as JSON")
    return parser.parse_args()


def flooder(folder):
    """Compiles the sender. Returns its path."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "flood")
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "libzmq"], text=True).split()
    source = os.path.join(os.path.dirname(__file__), "flood.c")
    subprocess.check_call(
        [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path, source, *flags])
    return os.path.abspath(path)


def durable(attack):
    """Returns the attack, each third one with a broker that keeps its journal on disk."""
    if attack.durability != "memory" or ATTACKS.index(attack) % 3:
        return attack
    return dataclasses.replace(attack, durability="normal")


def main():
    given = arguments()
    for module in pkgutil.iter_modules(attacks.__path__):
        importlib.import_module(f"attacks.{module.name}")
    chosen = [
        each for each in ATTACKS
        if not given.only or any(each.name.startswith(name) or each.family == name for name in given.only)]
    if not given.long:
        chosen = [each for each in chosen if not each.needs_speed]
    else:
        chosen = [durable(each) for each in chosen]
    if given.list:
        for each in chosen:
            print(f"{each.family:15} {each.name:30} {each.about}")
        return 0
    if not chosen:
        print(f"attack: there is none of the name {given.only}; see --list", file=sys.stderr)
        return 64
    mode = LONG if given.long else SHORT
    program = os.path.join(os.environ.get("BIN", ".build/release" if given.long else ".build/debug"), "popup-broker")
    print(f"{len(chosen)} attacks, {mode.name}, seed {given.seed}; most memory {MOST_MEMORY // MIB} MiB\n{heading()}")
    outcomes = run_all(
        chosen, mode, program, flooder(".build/attack"), given.seed, lambda outcome: print(line(outcome), flush=True))
    if given.results:
        os.makedirs(os.path.dirname(os.path.abspath(given.results)), exist_ok=True)
        with open(given.results, "w") as file:
            file.write(as_json(outcomes, mode, given.seed, program) + "\n")
    failed = [outcome.attack.name for outcome in outcomes if outcome.failures]
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} attacks held")
    if failed:
        print("attack: not held: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
