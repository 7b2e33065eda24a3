"""Other systems at the same work: one producer, one consumer, 1000 topics, 200 bytes, nothing lost."""

from .. import peers
from ..bench import tell
from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..table import Table
from .latency import keeps_up

RELAY = "relay, 3 frames (3f)"
DURABLE = "durable broker, acknowledgements"
CONFIRMS = "RabbitMQ, durable, confirms"
OURS = [
    (RELAY, "relay", "frames3", "load-zeromq"),
    ("broker, show → state/", "broker", "show", "load-zeromq"),
    ("broker, show → state+frame/", "broker", "frame", "load-zeromq"),
    ("durable broker, show → state/", "durable", "show", "load-zeromq"),
    (DURABLE, "durable", "confirmed", "load-zeromq"),
]
PEERS = [
    ("NATS core", "nats", "core", "load-nats"),
    ("NATS JetStream, file", "jetstream", "jetstream", "load-nats"),
    ("Redis PUB/SUB", "redis", "pubsub", "load-redis"),
    ("Redis ZADD + ZPOPMIN", "redis", "zset", "load-redis"),
    ("mosquitto, QoS 0", "mosquitto", "qos0", "load-mosquitto"),
    ("mosquitto, QoS 1", "mosquitto", "qos1", "load-mosquitto"),
    ("RabbitMQ, priority queue", "rabbitmq", "transient", "load-rabbitmq"),
    (CONFIRMS, "rabbitmq", "durable", "load-rabbitmq"),
]
RATE = 10_000


def installed(bench):
    for row in PEERS:
        _, server, _, program = row
        if not peers.is_installed(server):
            print(f"peers: {row[0]} is left out: {peers.SERVERS[server]} is not installed")
        elif not (bench.built / program).exists():
            print(f"peers: {row[0]} is left out: its client library is not installed")
        else:
            yield row


def measure(bench):
    which = [*OURS, *installed(bench)]
    throughput = {"count": max(bench.scale.messages // 5, 10_000), "groups": 1000}
    latency = {"count": RATE * bench.scale.seconds, "rate": RATE, "groups": 1000}
    tell("")

    def rows(options):
        return [Row(name, server, workload, options, (), program) for name, server, workload, program in which]

    return {
        "messages": throughput["count"], "seconds": bench.scale.seconds,
        "throughput": measure_rows(bench, rows(throughput), most_runs=3),
        "latency": measure_rows(bench, rows(latency), most_runs=3),
    }


def tables(found):
    base = found["throughput"][RELAY]
    table = Table(
        f"Other systems: {len(base)} interleaved runs of {found['messages']:,} messages; "
        f"latency at {RATE:,} per second over {found['seconds']} s, µs.",
        ["", "messages/s", "× 3f", "CPU of the relay or broker, µs per message", "p50", "p99"])
    for name, runs in found["throughput"].items():
        latency = found["latency"][name]
        table.rows.append([
            name, spread(figures(runs, "rate"), ",.0f"), spread(ratios(runs, base, "rate"), ".2f"),
            spread(figures(runs, "cpu"), ".2f"),
            # Latencies of one that doesn't keep up are those of a queue that grows.
            *(spread(figures(latency, figure), ",.0f") if keeps_up(RATE, latency) else "–" for figure in ("p50", "p99")),
        ])
    if CONFIRMS not in found["throughput"]:
        return [table]
    ratio = Table(
        "The two systems that confirm to the producer what is on disk.", ["", "messages/s × RabbitMQ"])
    confirming = found["throughput"][CONFIRMS]
    ratio.rows.append([DURABLE, spread(ratios(found["throughput"][DURABLE], confirming, "rate"), ".1f")])
    return [table, ratio]
