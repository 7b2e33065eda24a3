"""As many messages as come through, in 1000 groups."""

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..table import Table

RELAY = "relay, 3 frames (3f)"
ROWS = [
    (RELAY, "relay", "frames3"),
    ("relay, 1 frame", "relay", "frame1"),
    ("relay, 1 frame in, 2 out (1+2f)", "split-relay", "split"),
    ("broker, show → state/", "broker", "show"),
    ("broker, show → state+frame/", "broker", "frame"),
    ("broker, Batch of 64 → feed/", "broker", "batch"),
    ("broker, JSON show → state+json/", "broker", "json"),
    ("durable broker, show → state/", "durable", "show"),
    ("durable broker, Batch of 64 → feed/", "durable", "batch"),
]


def measure(bench):
    def row(name, server, workload):
        # JSON takes so much longer that fewer are enough.
        count = bench.scale.messages // (5 if workload == "json" else 1)
        return Row(name, server, workload, {"count": count, "groups": 1000})

    return {"messages": bench.scale.messages, "runs": measure_rows(bench, [row(*each) for each in ROWS])}


def tables(found):
    runs = found["runs"]
    count = len(runs[RELAY])
    table = Table(
        f"Throughput: {count} interleaved runs of {found['messages']:,} messages (JSON: a fifth), median (lowest–highest).",
        ["", "messages/s", "× 3f", "CPU of the relay or broker, µs per message", "CPU × 3f"])
    for name, of_row in runs.items():
        table.rows.append([
            name, spread(figures(of_row, "rate"), ",.0f"), spread(ratios(of_row, runs[RELAY], "rate"), ".2f"),
            spread(figures(of_row, "cpu"), ".2f"), spread(ratios(of_row, runs[RELAY], "cpu"), ".2f"),
        ])
    return [table]
