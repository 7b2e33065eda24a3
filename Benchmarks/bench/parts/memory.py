"""What a group with one active popup of 200 bytes and its timer takes of the broker's resident memory."""

from ..bench import tell
from ..servers import room
from ..table import Table


def measure(bench):
    rows = []
    for groups in bench.scale.live:
        tell(f"{groups:,} groups with a popup each")
        with bench.running("broker", room(groups)) as server:
            empty = server.resident_bytes()
            bench.load(server, "batch", count=groups, groups=groups)
            rows.append({"groups": groups, "empty": empty, "full": server.resident_bytes()})
    tell("")
    return rows


def tables(found):
    table = Table(
        "Resident memory of a broker with the journal in memory, with one active popup of 200 B and its timer per group.",
        ["groups", "empty, MiB", "full, MiB", "bytes per group"])
    for row in found:
        empty, full = row["empty"], row["full"]
        table.rows.append([
            f"{row['groups']:,}", f"{empty / 2**20:,.0f}", f"{full / 2**20:,.0f}",
            f"{(full - empty) / row['groups']:,.0f}",
        ])
    return [table]
