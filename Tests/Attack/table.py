"""Outcomes as a table for people and as JSON."""

import dataclasses
import json
import math
import os
import platform
import subprocess
import time

from bounds import CEILING, MIB, MOST_MEMORY

HEAD = ("attack", "p50/p99/max before", "during", "after (ms)", "lost", "MiB before/most/after", "fds", "log", "turns p99/max/long", "s")
WIDTHS = (30, 20, 20, 20, 7, 21, 9, 5, 18, 6)


def heading():
    return row(HEAD) + "\n" + "-" * (sum(WIDTHS) + 2 * len(WIDTHS))


def row(cells):
    return "  ".join(str(cell).ljust(width) for cell, width in zip(cells, WIDTHS)).rstrip()


def milliseconds(seconds):
    if math.isinf(seconds):
        return "never"
    return f"{seconds * 1e3:.1f}" if seconds < 0.01 else f"{seconds * 1e3:.0f}"


def spread(latency):
    return "/".join(milliseconds(value) for value in (latency.p50, latency.p99, latency.most)) if latency.shows else "-"


def line(outcome):
    cells = (
        outcome.attack.name, spread(outcome.quiet), spread(outcome.during), spread(outcome.after),
        f"{outcome.during.lost}+{outcome.after.lost}", "/".join(str(size // MIB) for size in outcome.memory),
        "/".join(map(str, outcome.descriptors)), outcome.log_lines,
        turns(outcome), f"{outcome.seconds:.1f}")
    return row(cells) + "".join(f"\n    FAILED: {failure}" for failure in outcome.failures)


def turns(outcome):
    """Returns the 99th percentile of the turns of the broker's loop, the longest (in ms) and how many were long."""
    known = outcome.turns
    return f"{milliseconds(known.p99)}/{milliseconds(known.longest)}/{known.long}" if known.count else "-"


def finite(value):
    """Returns the value with infinity, which JSON has not, as null."""
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    return None if isinstance(value, float) and math.isinf(value) else value


def machine(program):
    """Returns on what machine a broker was attacked, when, and which."""
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {
        "version": version.partition(",")[0].strip(), "date": time.strftime("%Y-%m-%d", time.gmtime()), "processors": os.cpu_count(),
        "architecture": platform.machine(),
        # The rest of a kernel's name says who built it.
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}"}


def as_json(outcomes, mode, seed, program):
    def of(outcome):
        return {
            "name": outcome.attack.name, "family": outcome.attack.family, "durability": outcome.attack.durability, "about": outcome.attack.about,
            "failures": outcome.failures, "notes": outcome.notes, "turns": dataclasses.asdict(outcome.turns), "waited": outcome.waited,
            **{name: finite(dataclasses.asdict(getattr(outcome, name))) for name in ("quiet", "during", "after")},
            "memory": dict(zip(("before", "most", "after"), outcome.memory)),
            "descriptors": dict(zip(("before", "after"), outcome.descriptors)),
            "logLines": outcome.log_lines, "seconds": round(outcome.seconds, 2),
            "processorSeconds": round(outcome.processor_seconds, 2), "exitCode": outcome.exit_code,
        }

    return json.dumps({
        "mode": mode.name, "seed": seed, "mostMemory": MOST_MEMORY, "ceiling": CEILING, "machine": machine(program),
        "attacks": [of(outcome) for outcome in outcomes]}, indent=1)
