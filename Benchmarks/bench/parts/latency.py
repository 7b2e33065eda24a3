"""How long a message takes at a rate, from the moment when it was to be sent."""

import statistics

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..table import Table

RELAY = "relay, 3 frames (3f)"
# A log that decides nothing, at the same rate and with the same bytes.
DISK = "the disk: what is due appended, fdatasync"
ROWS = [
    (RELAY, "relay", "frames3"),
    ("broker, show → state/", "broker", "show"),
    ("broker, show → state+frame/", "broker", "frame"),
    ("broker, show → acks/", "broker", "ack"),
    ("durable broker, show → state/", "durable", "show"),
    ("durable broker, show → acks/", "durable", "ack"),
]
# A median rate below this share of what was asked for: the row did not keep up, its latencies are those of a queue.
KEPT_UP = 0.98


def keeps_up(rate, runs):
    return statistics.median(figures(runs, "rate")) >= KEPT_UP * rate


def measure(bench):
    by_rate = {}
    for rate in bench.scale.rates:
        options = {"count": rate * bench.scale.seconds, "rate": rate, "groups": 1000}
        rows = [Row(name, server, workload, options) for name, server, workload in ROWS]
        rows.append(Row(DISK, "disk", "", {"seconds": bench.scale.seconds, "rate": rate, "count": 1}, program="load-disk"))
        by_rate[str(rate)] = measure_rows(bench, rows)
    return {"seconds": bench.scale.seconds, "rates": by_rate}


def tables(found):
    return [table(int(rate), runs, found["seconds"]) for rate, runs in found["rates"].items()]


def table(rate, runs, seconds):
    result = Table(
        f"Latency at {rate:,} messages per second, µs: {len(runs[RELAY])} interleaved runs of {seconds} s.",
        ["", "p50", "p99", "p999", "p50 × 3f", "p99 × 3f", "p99 × disk"])
    for name, of_row in runs.items():
        reached = statistics.median(figures(of_row, "rate"))
        note = "" if keeps_up(rate, of_row) else f", reached {reached:,.0f}/s"
        result.rows.append(
            [name + note]
            + [spread(figures(of_row, figure), ",.0f") for figure in ("p50", "p99", "p999")]
            + [spread(ratios(of_row, runs[RELAY], figure), ".2f") for figure in ("p50", "p99")]
            + [spread(ratios(of_row, runs[DISK], "p99"), ".2f") if name.startswith("durable") else ""])
    return result
