"""The gateway: streams of server-sent events beside other servers of them, requests, and what it costs the broker."""

import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import threading
import time

from .. import web
from ..bench import tell
from ..failure import Failure
from ..rounds import figures, ratios, spread
from ..table import Table

NAMES = {"bare": "bare relay", "nchan": "nginx + nchan", "pushpin": "pushpin", "gateway": "gateway"}
GROUPS = 1000
CONNECTIONS = 32
STALL_SECONDS = 15
POST = """\
wrk.method = "POST"
wrk.path = "/v1/popups"
wrk.headers["Authorization"] = "Bearer {token}"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{{"group":"post","priority":5,"durationMs":3600000,"text":"{text}"}}'
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("rate=%f p50=%f p99=%f failed=%d\\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


# --- Measuring ---------------------------------------------------------------------------------------------------------


def fan_out(bench, name, streams, seconds):
    """One group with many streams."""
    with web.serving(bench, name) as server, web.Readers(bench, server) as readers:
        before = server.resident_bytes()
        found = readers.ask("open", count=streams)
        # A subscription of the group has to reach what publishes.
        time.sleep(1)
        found["resident"] = (server.resident_bytes() - before) / streams
        found |= readers.ask("single", count=20)
        cpu = server.cpu_seconds()
        sustained = readers.ask("sustained", seconds=seconds, window=2)
        taken = sustained["messages"] * streams * (1 - sustained["conflated"])
        found["cpu"] = (server.cpu_seconds() - cpu) / max(taken, 1) * 1e6
        return found | {"rate": sustained["rate"], "conflated": sustained["conflated"]}


def many_groups(bench, seconds):
    """Many groups with a stream each."""
    with web.serving(bench, "gateway") as server, web.Readers(bench, server) as readers:
        readers.ask("open", count=GROUPS, groups=GROUPS)
        time.sleep(1)
        return readers.ask("paced", rate=1000, seconds=seconds, groups=GROUPS)


def alone(bench, seconds):
    """The same through the broker alone, by its own protocol."""
    with bench.running("broker") as server:
        figures = bench.load(server, "show", count=1000 * seconds, rate=1000, groups=GROUPS)
    return {name: figures[name] / 1000 for name in ("p50", "p99")}


def posts(bench, seconds):
    script = bench.directory / "post.lua"
    script.write_text(POST.format(token=web.TOKEN, text="x" * 200))
    with web.serving(bench, "gateway") as server:
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(script), f"http://{server.address}"]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60 + seconds, check=True).stdout
    found = re.search(r"^rate=.*failed=.*$", output, re.MULTILINE)
    if not found:
        raise Failure(f"wrk printed no figures: {output.strip()}")
    return {name: float(value) for name, value in (pair.split("=") for pair in found.group().split())}


CASES = {
    "alone": "the broker alone",
    "idle": "with an idle gateway",
    "still": "with {streams:,} streams of a group that does not change",
    "changing": "with {streams:,} streams of a group that changes each second",
    "stopped": "with a stopped gateway that follows all of it",
}
OTHER_GROUP = 9_999_999


def changing(readers, seconds):
    """Changes the group of the streams each second, until the load is through: the readers end first."""
    with contextlib.suppress(Failure):
        readers.ask("paced", rate=1, seconds=seconds, group=OTHER_GROUP)


def throughput(bench, case, streams):
    """The broker's throughput beside a gateway, which the load does not touch unless the case says so."""
    options = {"count": bench.scale.messages // 4, "groups": GROUPS}
    if case == "alone":
        with bench.running("broker") as server:
            return {"rate": bench.load(server, "show", **options)["rate"]}
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(web.serving(bench, "gateway"))
        if case in ("still", "changing"):
            readers = stack.enter_context(web.Readers(bench, server))
            readers.ask("open", count=streams, group=OTHER_GROUP)
        if case == "stopped":
            readers = stack.enter_context(web.Readers(bench, server, path="/v1/stream?group=b/*"))
            readers.ask("open", count=1)
            time.sleep(1)
            server.process.send_signal(signal.SIGSTOP)
            stack.callback(server.process.send_signal, signal.SIGCONT)
        if case == "changing":
            threading.Thread(
                target=changing, args=[readers, 5 * bench.scale.seconds], daemon=True).start()
        time.sleep(1)
        before = server.broker.resident_bytes()
        rate = bench.load(server, "show", **options)["rate"]
        return {"rate": rate, "grown": server.broker.resident_bytes() - before}


def stalls(bench, streams, stalled):
    """Some of the readers read no more. Small buffers in the kernel and large states soon fill up."""
    text_bytes, slow = 8000, "popup_gateway_streams_closed_total{kind=\"state\",cause=\"slow\"}"
    with web.serving(bench, "gateway") as server, web.Readers(bench, server, text_bytes=text_bytes) as readers:
        readers.ask("open", count=stalled, receive=4096)
        readers.ask("open", count=streams - stalled)
        time.sleep(1)
        found = {"before": readers.ask("single", count=10)["p99"]}
        resident, kernel = server.resident_bytes(), web.kernel_bytes()
        readers.ask("stall", count=stalled)
        start = time.monotonic()
        most, most_kernel, delays = 0, 0, []
        while time.monotonic() < start + STALL_SECONDS + 45 and server.metric(slow) < stalled:
            if time.monotonic() < start + STALL_SECONDS - 3:
                delays.append(readers.ask("single", count=5)["p99"])
            else:
                readers.ask("single", count=1)
            most = max(most, server.resident_bytes() - resident)
            most_kernel = max(most_kernel, web.kernel_bytes() - kernel)
        return found | {
            "during": statistics.median(delays), "each": most / stalled, "kernel": most_kernel / stalled,
            "gone": server.metric(slow), "seconds": time.monotonic() - start,
        }


def closing(bench, streams, left):
    """All but some of the streams are closed at once."""
    with web.serving(bench, "gateway") as server, web.Readers(bench, server) as readers:
        readers.ask("open", count=left)
        readers.ask("open", count=streams, group=OTHER_GROUP)
        time.sleep(1)
        found = readers.ask("paced", rate=100, seconds=4)
        after = readers.ask("paced", rate=100, seconds=6, close=streams)
        return {"usual": found["max"], "max": after["max"], "p99": after["p99"], "lost": after["lost"]}


def in_turn(bench, rows):
    """The figures of each row's runs, in interleaved runs."""
    runs = {name: [] for name in rows}
    for number in range(bench.scale.runs):
        for name, row in rows.items():
            tell(f"run {number + 1} of {bench.scale.runs}: {name}")
            runs[name].append(row())
    tell("")
    return runs


def measure(bench):
    if not bench.gateway:
        raise Failure("no gateway is given; Benchmarks/gateway.sh builds one")
    scale = bench.scale
    streams, stalled, left = scale.streams, scale.streams // 10, 100
    servers = ["bare", "gateway"]
    for name in web.PROGRAMS:
        if web.is_installed(name):
            servers.insert(1, name)
        else:
            print(f"gateway: {NAMES[name]} is left out: it is not installed")
    found = {"streams": streams, "stalled": stalled, "left": left, "seconds": scale.seconds}
    parts = {
        "fan_out": {name: lambda name=name: fan_out(bench, name, streams, scale.seconds) for name in servers},
        "groups": {"broker": lambda: alone(bench, scale.seconds), "gateway": lambda: many_groups(bench, scale.seconds)},
        "throughput": {case: lambda case=case: throughput(bench, case, streams) for case in CASES},
        "stalls": {"gateway": lambda: stalls(bench, streams, stalled)},
        "closing": {"gateway": lambda: closing(bench, streams, left)},
    }
    if shutil.which("wrk"):
        parts["posts"] = {"gateway": lambda: posts(bench, scale.seconds)}
    else:
        print("gateway: requests are left out: wrk is not installed")
    chosen = os.environ.get("BENCH_GATEWAY", "").split() or list(parts)
    if unknown := [name for name in chosen if name not in parts]:
        raise Failure(f"BENCH_GATEWAY has `{unknown[0]}`, which can't be measured; the parts are {', '.join(parts)}")
    return found | {name: in_turn(bench, parts[name]) for name in chosen}


# --- Tables ------------------------------------------------------------------------------------------------------------


def milliseconds(runs, figure):
    return spread(figures(runs, figure), ",.1f")


def times(found, name, other, figure):
    """How many times the figure of another server, run by run."""
    runs = found["fan_out"]
    return spread(ratios(runs[name], runs[other], figure), ".2f") if other in runs else "–"


def opening_table(found):
    table = Table(
        f"{found['streams']:,} streams of one group: opening them, and the delay of one state or message.",
        ["", "opened in, s", "refused", "resident KiB a stream", "first reader, ms", "median, ms", "p99, ms", "last, ms",
         "last × bare relay", "last × nchan", "missing"])
    for name, runs in found["fan_out"].items():
        table.rows.append([
            NAMES[name], spread(figures(runs, "seconds"), ".2f"), f"{max(figures(runs, 'refused')):,.0f}",
            spread([run["resident"] / 1024 for run in runs], ".1f"),
            *(milliseconds(runs, figure) for figure in ("first", "median", "p99", "last")),
            times(found, name, "bare", "last"), times(found, name, "nchan", "last"),
            f"{max(figures(runs, 'missing')):,.0f}",
        ])
    return table


def sustained_table(found):
    table = Table(
        f"As many messages as come through to {found['streams']:,} streams, two of them under way, for {found['seconds']} s.",
        ["", "deliveries/s", "× bare relay", "× nchan", "CPU, µs a delivery"])
    for name, runs in found["fan_out"].items():
        table.rows.append([
            NAMES[name], spread(figures(runs, "rate"), ",.0f"), times(found, name, "bare", "rate"),
            times(found, name, "nchan", "rate"), spread(figures(runs, "cpu"), ".1f"),
        ])
    return table


def groups_table(found):
    table = Table(
        f"{GROUPS} groups with a stream each, 1000 states a second over {found['seconds']} s, ms.",
        ["", "p50", "p99", "p50 − broker", "p99 × broker"])
    broker, gateway = found["groups"]["broker"], found["groups"]["gateway"]
    for name, runs in (("broker alone, by its own protocol", broker), ("gateway", gateway)):
        more = [run["p50"] - base["p50"] for run, base in zip(runs, broker)]
        table.rows.append([
            name, *(spread(figures(runs, figure), ".2f") for figure in ("p50", "p99")), spread(more, ".2f"),
            spread(ratios(runs, broker, "p99"), ".2f"),
        ])
    return table


def posts_table(found):
    runs = found["posts"]["gateway"]
    table = Table(
        f"`POST /v1/popups` over {CONNECTIONS} connections, each answered when the broker has committed it (journal in memory).",
        ["requests/s", "p50, ms", "p99, ms", "failed"])
    table.rows.append([
        spread(figures(runs, "rate"), ",.0f"), spread(figures(runs, "p50"), ".2f"), spread(figures(runs, "p99"), ".2f"),
        f"{max(figures(runs, 'failed')):.0f}",
    ])
    return table


def throughput_table(found):
    base = found["throughput"]["alone"]
    table = Table("What a gateway costs the broker: `show` → `state/` of other groups.",
                  ["", "messages/s", "× alone", "the broker's memory grows by, MiB"])
    for case, runs in found["throughput"].items():
        table.rows.append([
            CASES[case].format(streams=found["streams"]), spread(figures(runs, "rate"), ",.0f"),
            spread(ratios(runs, base, "rate"), ".2f"),
            spread([run["grown"] / 2**20 for run in runs], ".1f") if "grown" in runs[0] else "–",
        ])
    return table


def stalls_table(found):
    runs = found["stalls"]["gateway"]
    table = Table(
        f"{found['stalled']:,} of {found['streams']:,} readers read no more; states of 8000 bytes.",
        ["p99 of the others before, ms", "during it", "×", "resident KiB for each", "KiB of all sockets for each",
         "closed", "after, s"])
    table.rows.append([
        milliseconds(runs, "before"), milliseconds(runs, "during"),
        spread([run["during"] / run["before"] for run in runs], ".2f"),
        *(spread([run[figure] / 1024 for run in runs], ".1f") for figure in ("each", "kernel")),
        spread(figures(runs, "gone"), ",.0f"), spread(figures(runs, "seconds"), ".1f"),
    ])
    return table


def closing_table(found):
    runs = found["closing"]["gateway"]
    table = Table(
        f"{found['streams']:,} streams closed at once: the delays of {found['left']} others, which get 100 states a second, ms.",
        ["longest before", "p99 around it", "longest", "lost"])
    table.rows.append([*(milliseconds(runs, figure) for figure in ("usual", "p99", "max")), f"{max(figures(runs, 'lost')):.0%}"])
    return table


TABLES = {
    opening_table: "fan_out", sustained_table: "fan_out", groups_table: "groups", posts_table: "posts",
    throughput_table: "throughput", stalls_table: "stalls", closing_table: "closing",
}


def tables(found):
    return [table(found) for table, part in TABLES.items() if part in found]
