"""A durable broker with so many live popups, one a group, is killed; the next one is started on what it left."""

import contextlib
import signal
import time

from ..bench import tell
from ..servers import ReadyServer, room
from ..table import Table


def measure(bench):
    rows = []
    for popups in bench.scale.live:
        endpoints = [f"ipc://{bench.directory}/{name}" for name in ("in", "out")]
        command = bench.durable_command(*room(popups), endpoints=endpoints)
        bench.forget_data()
        tell(f"filling a broker with {popups:,} popups")
        server = ReadyServer(command)
        try:
            bench.load(server, "batch", count=popups, groups=popups)
        finally:
            server.stop(signal.SIGKILL)
        directory = bench.data_bytes()
        tell(f"restarting it with {popups:,} popups")
        rows.append({"popups": popups, "directory": directory} | restarted(command, endpoints[1], popups // 2))
        bench.forget_data()
    tell("")
    return rows


def restarted(command, egress, group):
    """Seconds from its start until it says that it is ready, and until a subscriber that waits gets a group's state."""
    import zmq

    with zmq.Context() as context, context.socket(zmq.SUB) as subscriber:
        subscriber.setsockopt(zmq.RECONNECT_IVL, 5)
        subscriber.setsockopt(zmq.RCVTIMEO, 120_000)
        subscriber.setsockopt(zmq.LINGER, 0)
        subscriber.subscribe(b"state/b/%07d/" % group)
        subscriber.connect(egress)
        with contextlib.ExitStack() as stack:
            server = ReadyServer(command)
            stack.callback(server.stop)
            subscriber.recv_multipart()
            first = time.monotonic() - server.started
            return {"ready": server.ready - server.started, "first": first, "memory": server.resident_bytes()}


def tables(found):
    table = Table(
        "Restart after `kill -9`, with one live popup of 200 B per group, from the start of the process.",
        ["live popups", "data directory, MiB", "ready, s", "first state, s", "memory, MiB"])
    for row in found:
        table.rows.append([
            f"{row['popups']:,}", f"{row['directory'] / 2**20:,.0f}", f"{row['ready']:.2f}", f"{row['first']:.2f}",
            f"{row['memory'] / 2**20:,.0f}",
        ])
    return [table]
