"""Single shows in few and in many groups, in a random-looking order, after each group has had its first."""

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..servers import room
from ..table import Table


def measure(bench):
    most = max(bench.scale.groups)
    messages = max(bench.scale.messages, most)
    # The same for all: as many ids remembered, as many messages before and within the measurement.
    limits = tuple(room(most))
    rows = [
        Row(str(groups), "broker", "show", {"count": most + messages, "warmup": most, "groups": groups}, limits)
        for groups in bench.scale.groups
    ]
    return {"messages": messages, "runs": measure_rows(bench, rows)}


def tables(found):
    runs = found["runs"]
    base = next(iter(runs.values()))
    table = Table(
        f"Single shows by number of groups: {len(base)} interleaved runs of {found['messages']:,} messages.",
        ["groups", "messages/s", f"× {int(next(iter(runs))):,} groups", "CPU of the broker, µs per message"])
    for groups, of_row in runs.items():
        table.rows.append([
            f"{int(groups):,}", spread(figures(of_row, "rate"), ",.0f"), spread(ratios(of_row, base, "rate"), ".2f"),
            spread(figures(of_row, "cpu"), ".2f"),
        ])
    return [table]
