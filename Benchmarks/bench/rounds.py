"""Interleaved runs: one of each in turn, again and again. What drifts, drifts for all."""

import dataclasses
import statistics

from .bench import tell


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    server: str
    workload: str
    # The load's: count, groups, rate …
    options: dict = dataclasses.field(default_factory=dict)
    # More of the broker's command line.
    arguments: tuple = ()
    program: str = "load-zeromq"


def measure(bench, rows, most_runs=1000, more=lambda server: {}):
    """Each row's name with the figures of its runs, in their order; `more` asks the server for others after its run."""
    runs = {row.name: [] for row in rows}
    count = min(bench.scale.runs, most_runs)
    for number in range(count):
        for row in rows:
            tell(f"run {number + 1} of {count}: {row.name}")
            with bench.running(row.server, row.arguments) as server:
                before = server.cpu_seconds()
                figures = bench.load(server, row.workload, row.program, **row.options)
                cpu = server.cpu_seconds() - before
                figures |= more(server)
            runs[row.name].append(figures | {"cpu": cpu / row.options["count"] * 1e6})
    tell("")
    return runs


def figures(runs, figure):
    return [run[figure] for run in runs]


def ratios(runs, base, figure):
    """The ratio of each run to the yardstick's run beside it."""
    return [run[figure] / yardstick[figure] for run, yardstick in zip(runs, base) if yardstick[figure] > 0]


def spread(values, form):
    """The median, with the lowest and highest."""
    if not values:
        return "–"
    median = f"{statistics.median(values):{form}}"
    return median if len(values) == 1 else f"{median} ({min(values):{form}}–{max(values):{form}})"
