"""The parts of the benchmark, in the order in which they run.

Each is a module with `measure(bench)`, which returns what it found in a form that JSON can keep, and `tables(found)`.
"""

from . import throughput, curve, latency, groups, subscribers, timers, waiting, memory, restart, journal, snapshots, peers, gateway, fleet

ALL = {
    "throughput": throughput,
    "curve": curve,
    "latency": latency,
    "groups": groups,
    "subscribers": subscribers,
    "timers": timers,
    "waiting": waiting,
    "memory": memory,
    "restart": restart,
    "journal": journal,
    "snapshots": snapshots,
    "peers": peers,
    "gateway": gateway,
    "fleet": fleet,
}
# These need nothing installed.
USUAL = [name for name in ALL if name not in ("peers", "gateway", "fleet")]
