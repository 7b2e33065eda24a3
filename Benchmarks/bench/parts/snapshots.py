"""What the snapshots of a durable broker under load cost: the same commands with and without any."""

from ..rounds import Row, figures, measure as measure_rows, spread
from ..stats import stats
from ..table import Table

WITH, WITHOUT = "snapshots as usual", "no snapshots"
# So many bytes that no snapshot is due in a run, and no segment ends.
NEVER = ("--set", f"journal.segmentBytes={1 << 40}")


def measure(bench):
    options = {"count": 2 * bench.scale.messages, "groups": bench.scale.groups[1]}
    rows = [Row(WITH, "durable", "batch", options), Row(WITHOUT, "durable", "batch", options, NEVER)]
    return {"commands": options["count"], "groups": options["groups"],
            "runs": measure_rows(bench, rows, most_runs=3, more=found_after)}


def found_after(server):
    return {"memory": server.most_resident_bytes(), "snapshots": float(stats(server).get("snapshots", 0))}


def tables(found):
    table = Table(
        f"Snapshots under load: {found['commands']:,} shows in batches, `full`, in {found['groups']:,} groups.",
        ["", "snapshots", "messages/s", "CPU of the broker, µs per message", "most memory, MiB"])
    for name, runs in found["runs"].items():
        table.rows.append([
            name, spread(figures(runs, "snapshots"), ".0f"), spread(figures(runs, "rate"), ",.0f"),
            spread(figures(runs, "cpu"), ".2f"), spread([bytes / 2**20 for bytes in figures(runs, "memory")], ",.0f"),
        ])
    return [table]
