"""The same with CURVE: a relay that lets every key in, and a broker whose user may do all, or has rights to be looked at."""

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..table import Table

RELAY = "CURVE relay, 3 frames (3f)"
ROWS = [
    ("relay, 3 frames", "relay", "frames3"),
    (RELAY, "curve-relay", "frames3"),
    ("CURVE relay, 1 frame", "curve-relay", "frame1"),
    ("CURVE broker, show → state/", "curve-broker", "show"),
    ("CURVE broker, show → state+frame/", "curve-broker", "frame"),
    ("CURVE broker, show → state/, limited rights", "curve-limited", "show"),
    ("CURVE broker, Batch of 64 → feed/", "curve-broker", "batch"),
]


def measure(bench):
    count = bench.scale.messages // 2
    rows = [Row(name, server, workload, {"count": count, "groups": 1000}) for name, server, workload in ROWS]
    return {"messages": count, "runs": measure_rows(bench, rows)}


def tables(found):
    runs = found["runs"]
    count = len(runs[RELAY])
    table = Table(
        f"With keys: {count} interleaved runs of {found['messages']:,} messages, median (lowest–highest).",
        ["", "messages/s", "× CURVE 3f", "CPU of the relay or broker, µs per message", "CPU × CURVE 3f"])
    for name, of_row in runs.items():
        table.rows.append([
            name, spread(figures(of_row, "rate"), ",.0f"), spread(ratios(of_row, runs[RELAY], "rate"), ".2f"),
            spread(figures(of_row, "cpu"), ".2f"), spread(ratios(of_row, runs[RELAY], "cpu"), ".2f"),
        ])
    return [table]
