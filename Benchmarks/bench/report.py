"""Writes what was found into Documentation/Performance.md, between its marks, and the plots beside it.

A part that was not measured leaves what stands there.
"""

import argparse
import pathlib
import re
import statistics

from . import results
from .parts import ALL, latency, throughput
from .plots import Bar, Points, bars, points
from .rounds import figures, ratios

# × 3f, as Documentation/Performance.md names them.
GOALS = {
    "broker, show → state/": 1.2,
    "broker, Batch of 64 → feed/": 2.4,
    "durable broker, show → state/": 1.0,
}


KINDS = {"relay": "plain", "broker": "broker", "durable broker": "durable"}


def kind_of(name):
    return next((kind for start, kind in KINDS.items() if name.startswith(start)), "peer")


def throughput_plot(found):
    base = found["runs"][throughput.RELAY]
    rows = [
        Bar(name, ratios(runs, base, "rate"), kind_of(name), GOALS.get(name, 0)) for name, runs in found["runs"].items()
    ]
    return bars("Throughput against a bare relay", "messages per second × those of the relay with 3 frames", rows)


def latency_plot(found):
    groups = []
    for rate, runs in found["rates"].items():
        rows = [
            Points(name, *(statistics.median(figures(of_row, figure)) for figure in ("p50", "p99", "p999")), kind_of(name))
            for name, of_row in runs.items() if name != latency.DISK and latency.keeps_up(int(rate), of_row)
        ]
        groups.append((f"{int(rate):,} per second", rows))
    return points("Latency from the moment when a message was due to be sent", groups)


def peers_plot(found):
    base = found["throughput"][throughput.RELAY]
    rows = [Bar(name, ratios(runs, base, "rate"), kind_of(name)) for name, runs in found["throughput"].items()]
    return bars("Other systems at the same work", "messages per second × those of the relay with 3 frames", rows)


PLOTS = {"throughput": throughput_plot, "latency": latency_plot, "peers": peers_plot}


def replaced(text, part, content):
    """Between `<!-- bench PART -->` and `<!-- end of bench PART -->`."""
    begin, end = f"<!-- bench {part} -->", f"<!-- end of bench {part} -->"
    return re.sub(
        f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{content}\n{end}", text, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("document", type=pathlib.Path)
    options = parser.parse_args()
    plots = options.document.with_suffix("")
    text = options.document.read_text(encoding="utf-8")
    for name, kept in results.read(options.results).items():
        content = "\n\n".join(table.markdown() for table in ALL[name].tables(kept["found"]))
        machine = kept["machine"]
        content += (
            f"\n\nMeasured {machine['date']} at {machine['commit']} on {machine['cores']} cores of {machine['processor']}, "
            f"{machine['system']}.")
        if name in PLOTS:
            plots.mkdir(exist_ok=True)
            (plots / f"{name}.svg").write_text(PLOTS[name](kept["found"]), encoding="utf-8")
            content += f"\n\n![{name}]({plots.name}/{name}.svg)"
        text = replaced(text, name, content)
    options.document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
