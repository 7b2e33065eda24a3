"""One group in which many popups wait: pairs of a push and an advance, in batches, every command with an acknowledgement."""

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..servers import settings
from ..table import Table


def measure(bench):
    count = bench.scale.messages // 4
    most = max(bench.scale.waiting) + count + 1000
    limits = (
        *settings(popups=most * 9 // 8 + 9, waitingPerGroup=most, contentBytes=1 << 32, memoryBytes=1 << 36),
        "--set", f"deduplication.maxIDs={2 * most}")
    rows = [
        Row(str(waiting), "broker", "", {"waiting": waiting, "count": count}, limits, "load-waiting")
        for waiting in bench.scale.waiting
    ]
    return {"pairs": count, "runs": measure_rows(bench, rows, most_runs=3)}


def tables(found):
    runs = found["runs"]
    base = next(iter(runs.values()))
    table = Table(
        f"One group, by number of waiting popups: {len(base)} interleaved run{'s' * (len(base) > 1)} of {found['pairs']:,} pairs of `show` and `advance`.",
        ["waiting", "pairs/s", f"time × {int(next(iter(runs))):,} waiting", "filled, popups/s"])
    for waiting, of_row in runs.items():
        times = [1 / ratio for ratio in ratios(of_row, base, "rate")]
        table.rows.append([
            f"{int(waiting):,}", spread(figures(of_row, "rate"), ",.0f"), spread(times, ".2f"),
            spread(figures(of_row, "fill"), ",.0f"),
        ])
    return [table]
