"""Display times that end spread over some seconds: whether none ends early, and how late the states are that follow."""

from ..rounds import Row, figures, measure as measure_rows, spread
from ..servers import room
from ..stats import stats
from ..table import Table


def measure(bench):
    timers, within = bench.scale.timers, bench.scale.timers_within
    # The first one ends when all are shown, with 50,000 shown a second at least.
    options = {"count": timers, "within": within, "fill": 2_000 + timers // 50}
    more = ("--set", "egress.highWaterMark=2000000", *room(timers))
    rows = [Row("broker", "broker", "", options, more, "load-timers")]
    return {"timers": timers, "within": within, "runs": measure_rows(bench, rows, most_runs=3, more=turns)}


def turns(server):
    """The longest turn of the loop, in which the popups were shown, too."""
    return {"longest": float(stats(server)["turns"]["longestUs"])}


def tables(found):
    runs = found["runs"]["broker"]
    table = Table(
        f"{found['timers']:,} display times that end within {found['within'] / 1000:g} s: "
        "how late a subscriber receives the next state, µs.",
        ["p50", "p99", "p999", "latest", "early", "longest turn"])
    table.rows.append(
        [spread(figures(runs, figure), ",.0f") for figure in ("p50", "p99", "p999", "max")]
        + [f"{sum(figures(runs, 'early')):,.0f}", spread(figures(runs, "longest"), ",.0f")])
    return [table]
