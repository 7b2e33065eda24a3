"""What commands leave on disk when each closes the popup before it, so that 1000 live in the end."""

import subprocess

from ..bench import tell
from ..servers import ReadyServer
from ..table import Table


def measure(bench):
    commands = bench.scale.messages
    tell(f"{commands:,} commands")
    bench.forget_data()
    server = ReadyServer(bench.durable_command())
    try:
        bench.load(server, "batch", count=commands, groups=1000)
        # It may be making a snapshot; one that is stopped has given that up, or made it.
    finally:
        server.stop()
    left = bench.data_bytes()
    subprocess.run([bench.broker, "journal", "compact", str(bench.data)], check=True, stdout=subprocess.PIPE)
    compact = bench.data_bytes()
    bench.forget_data()
    tell("")
    return {"commands": commands, "left": left, "compact": compact}


def tables(found):
    table = Table(
        f"The data directory after {found['commands']:,} commands of 250 B: 1000 live popups, and one remembered id per command.",
        ["", "MiB"])
    table.rows.append(["after the run", f"{found['left'] / 2**20:,.0f}"])
    table.rows.append(["after `popup-broker journal compact`", f"{found['compact'] / 2**20:,.0f}"])
    return [table]
