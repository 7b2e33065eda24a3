"""A fleet beside bare appends to the same etcd: the log alone, a lone command to its acknowledgement, and the throughput."""

import os
import statistics
import sys

from ..bench import tell
from ..cluster import Cluster, PacedAppends, Shard
from ..failure import Failure
from ..rounds import figures, ratios, spread
from ..table import Table

KIB = 1024
SIZES = {"1 KiB": KIB, "64 KiB": 64 * KIB}
LONE = KIB
GROUPS = 1000
# The share of the bytes with which a run warms up.
WARM_UP = 0.1
# How often a run that can't count is made again: on a busy machine etcd changes its leader.
MOST_FAILURES = 3


# --- Measuring ---------------------------------------------------------------------------------------------------------


def appends(bench, cluster):
    """Appends of one size: the loop in C, and EtcdLog."""
    return {name: pair_of_appends(bench, cluster, size) for name, size in SIZES.items()}


def pair_of_appends(bench, cluster, size):
    return {
        "bare": cluster.append_bare(size, bench.scale.appends),
        "library": cluster.append_by_library(size, bench.scale.appends),
    }


def lone(bench, cluster):
    """A bare append and a command to a node, in turn."""
    # Only this needs pyzmq. The other parts and the tables do not.
    from ..producer import LoneProducer

    count = bench.scale.appends
    with Shard(cluster) as shard, LoneProducer(shard.endpoints) as producer, PacedAppends(cluster, LONE, count) as bare:
        times = [(bare.append(), producer.show()) for _ in range(count)]
    batches = shard.batches()[-count:]
    return {
        "bytes": statistics.mean(size for _, size in batches),
        "bare": quantiles(each for each, _ in times), "node": quantiles(each for _, each in times),
    }


def quantiles(times):
    times = sorted(times)
    return {f"p{percent}": times[(len(times) - 1) * percent // 100] for percent in (50, 99)}


def throughput(bench, cluster, standbys):
    """What a node appends when it is sent as much as it takes."""
    with Shard(cluster, standbys) as shard:
        shows = bench.load(shard, "batch", count=shows_of(bench), groups=GROUPS)["rate"]
        batches = shard.batches()
    return {"shows": shows} | rate_of(batches)


def shows_of(bench):
    # Few enough that no entry is removed before the log is read: that needs two snapshots, each of 64 MiB of commands.
    return bench.scale.messages * 2 // 5


def rate_of(batches):
    """The megabytes of commands a second that batches appended, and their mean size, after the warm-up. There is one append at
    a time: when the last batch begins, those before it are in the log."""
    warm_up, first = WARM_UP * sum(size for _, size in batches), 0
    while warm_up > 0:
        warm_up -= batches[first][1]
        first += 1
    counted = batches[first:-1]
    seconds = (batches[-1][0] - batches[first][0]) / 1000 if counted else 0
    if seconds <= 0:
        raise Failure(f"{len(batches)} batches are too few")
    size = sum(size for _, size in counted)
    return {"batches": len(counted), "mean": size / len(counted), "mb_s": size / seconds / 1e6}


def throughputs(bench, cluster):
    found = {}
    for case, standbys in (("alone", 0), ("standbys", 2)):
        tell(f"throughput: {CASES[case]}")
        found[case] = throughput(bench, cluster, standbys)
        found[case]["bare"] = cluster.append_bare(round(found[case]["mean"]), bench.scale.appends)
    found["library"] = cluster.append_by_library(round(found["alone"]["mean"]), bench.scale.appends)
    with bench.running("durable") as server:
        found["durable"] = {"shows": bench.load(server, "batch", count=shows_of(bench), groups=GROUPS)["rate"]}
    return found


PARTS = {"appends": appends, "lone": lone, "throughput": throughputs}


def one_run(bench, chosen):
    """All parts with one cluster, which begins empty."""
    cluster = Cluster(bench)
    try:
        # Its files grow in large steps at first.
        cluster.append_bare(64 * KIB, max(bench.scale.appends // 5, 1))
        return {name: PARTS[name](bench, cluster) for name in chosen}
    finally:
        cluster.stop()


def measure(bench):
    if not bench.fleet:
        raise Failure("no programs of a fleet are given; Benchmarks/fleet.sh builds them")
    chosen = os.environ.get("BENCH_FLEET", "").split() or list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        raise Failure(f"BENCH_FLEET has `{unknown[0]}`, which can't be measured; the parts are {', '.join(PARTS)}")
    runs, failures = [], 0
    while len(runs) < bench.scale.runs:
        tell(f"run {len(runs) + 1} of {bench.scale.runs}")
        try:
            runs.append(one_run(bench, chosen))
        except Failure as failure:
            failures += 1
            if failures > MOST_FAILURES:
                raise
            print(f"fleet: run {len(runs) + 1} is made again: {failure}", file=sys.stderr)
    tell("")
    return {"appends": bench.scale.appends, "shows": shows_of(bench), "failures": failures, "runs": runs}


# --- Tables ------------------------------------------------------------------------------------------------------------

CASES = {"alone": "a node alone", "standbys": "a node with two standbys"}
GOALS = {"alone": "≥ 0.8", "standbys": "≥ 0.7"}
LONE_GOALS = "p50 + 0.5, p99 + 3"


def milliseconds(runs, figure):
    return spread([each / 1000 for each in figures(runs, figure)], ",.2f")


def ratio(runs, base, figure):
    """The ratio of the medians, with the lowest and highest of the pairs of neighbors."""
    median = statistics.median(figures(runs, figure)) / statistics.median(figures(base, figure))
    pairs = ratios(runs, base, figure)
    return f"{median:.2f}" if len(runs) == 1 else f"{median:.2f} ({min(pairs):.2f}–{max(pairs):.2f})"


def appends_table(found):
    runs = found["runs"]
    table = Table(
        f"Appends to the log, one after another: {count_of(runs)} of {found['appends']:,} each.",
        ["", "p50, ms", "p99, ms", "MB/s", "MB/s × bare loop"])
    rows = {}
    if "appends" in runs[0]:
        for size in SIZES:
            rows[size] = [[run["appends"][size][name] for run in runs] for name in ("bare", "library")]
    if "throughput" in runs[0]:
        parts = [run["throughput"] for run in runs]
        rows["a node's mean batch"] = [[part["alone"]["bare"] for part in parts], [part["library"] for part in parts]]
    for size, (bare, library) in rows.items():
        for name, of_row in (("bare loop", bare), ("EtcdLog", library)):
            table.rows.append([
                f"{name}, {size}", milliseconds(of_row, "p50"), milliseconds(of_row, "p99"),
                spread(figures(of_row, "mb_s"), ",.2f"), ratio(of_row, bare, "mb_s")])
    return table


def lone_table(found):
    parts = [run["lone"] for run in found["runs"]]
    bare, node = [part["bare"] for part in parts], [part["node"] for part in parts]
    size = statistics.median(figures(parts, "bytes"))
    table = Table(
        f"A lone `show` to its acknowledgement, and a bare append of 1 KiB, in turn: {count_of(parts)} of {found['appends']:,} "
        f"each, ms. The batch of a `show` has {size:,.0f} bytes.",
        ["", "p50", "p99", "p50 − bare append", "p99 − bare append", "goal"])
    for name, of_row, goal in (("bare append", bare, "–"), ("`show` → acknowledgement", node, LONE_GOALS)):
        more = [
            spread([(run[figure] - base[figure]) / 1000 for run, base in zip(of_row, bare)], ".2f")
            for figure in ("p50", "p99")]
        table.rows.append([name, milliseconds(of_row, "p50"), milliseconds(of_row, "p99"), *more, goal])
    return table


def throughput_table(found):
    parts = [run["throughput"] for run in found["runs"]]
    durable = [part["durable"] for part in parts]
    table = Table(
        f"As many shows as a node takes, in frames of 64: {count_of(parts)} of {found['shows']:,} shows, and of "
        f"{found['appends']:,} bare appends of the mean batch.",
        ["", "MB/s to the log", "mean batch, KiB", "bare loop, MB/s", "× bare loop", "goal", "shows/s", "× durable broker"])
    for case, name in CASES.items():
        of_row = [part[case] for part in parts]
        bare = [part["bare"] for part in of_row]
        table.rows.append([
            name, spread(figures(of_row, "mb_s"), ",.1f"), spread([run["mean"] / KIB for run in of_row], ",.0f"),
            spread(figures(bare, "mb_s"), ",.1f"), ratio(of_row, bare, "mb_s"), GOALS[case],
            spread(figures(of_row, "shows"), ",.0f"), ratio(of_row, durable, "shows")])
    table.rows.append(["a durable broker without a fleet", *["–"] * 5, spread(figures(durable, "shows"), ",.0f"), "1.00"])
    return table


def count_of(runs):
    return "one run" if len(runs) == 1 else f"{len(runs)} interleaved runs"


def tables(found):
    parts = found["runs"][0]
    made = []
    if "appends" in parts or "throughput" in parts:
        made.append(appends_table(found))
    if "lone" in parts:
        made.append(lone_table(found))
    if "throughput" in parts:
        made.append(throughput_table(found))
    return made
