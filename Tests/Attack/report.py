"""Writes what attacks found into a document, between its marks.

    python3 -B Tests/Attack/report.py .build/attack/results.json… Documentation/Attacks.md

Of an attack that is in several files of results, the last one counts."""

import argparse
import json
import pathlib
import re
import textwrap

from bounds import MIB

HEAD = ("attack", "durability", "sent", "p99 before / during / after, ms", "most memory, MiB", "longest turn, ms")
ALIGNED = ("---", "---", "---", "---:", "---:", "---:")

# What of an attack's notes says how much was sent, in this order.
SENT = (
    ("frames", "frames"), ("texts", "texts"), ("handshakes", "handshakes"), ("connections", "connections"),
    ("clients", "clients"), ("producers", "producers"), ("rounds", "rounds"), ("words", "subscriptions and withdrawals"),
    ("subscriptions 3.0", "subscriptions by messages"), ("subscriptions 3.1", "subscriptions by commands"),
    ("sent", "subscriptions"), ("popups", "popups"), ("readers", "readers"), ("MiB sent", "MiB"), ("MiB", "MiB"), ("KiB", "KiB"),
    ("PUB KiB", "KiB to the ingress"), ("SUB KiB", "KiB to the egress"),
)
MOST_SENT = 2  # of these, in one cell


class Malformed(Exception):
    """What is wrong with a file, for who calls the script."""


def sent(notes):
    """Returns how much was sent, in words."""
    counts = [f"{int(notes[name]):,} {unit}" for name, unit in SENT if name in notes]
    return ", ".join(counts[:MOST_SENT]) or "–"


def milliseconds(seconds):
    if seconds is None:
        return "never"
    return f"{seconds * 1e3:.1f}" if seconds < 0.01 else f"{seconds * 1e3:.0f}"


def p99(latency):
    return milliseconds(latency["p99"]) if latency["shows"] else "–"


def row(attack):
    """Returns the cells of an attack. The longest turn is not known where a broker had a longer one in an attack before."""
    latencies = " / ".join(p99(attack[span]) for span in ("quiet", "during", "after"))
    turns = attack["turns"]
    return (
        f"`{attack['name']}`", attack["durability"], sent(attack["notes"]), latencies,
        f"{attack['memory']['most'] / MIB:.0f}", milliseconds(turns["longest"]) if turns["longest"] else "–")


def origin(results):
    """Returns in a sentence where results come from."""
    machine = results["machine"]
    return (
        f"{machine['version']}, a {'release' if results['mode'] == 'long' else 'debug'} build, {results['mode']} attacks with seed "
        f"{results['seed']}, {machine['date']}, on a machine with {machine['processors']} processors ({machine['architecture']}) and "
        f"{machine['system']}")


def table(results):
    """Returns the table of several results, and where they come from."""
    attacks = {attack["name"]: attack for each in results for attack in each["attacks"]}
    lines = [f"| {' | '.join(cells)} |" for cells in (HEAD, ALIGNED, *map(row, attacks.values()))]
    failed = [f"`{name}`" for name, attack in attacks.items() if attack["failures"]]
    held = f"Each of these {len(attacks)} attacks stayed within the bounds." if not failed else (
        f"{len(attacks) - len(failed)} of {len(attacks)} attacks stayed within the bounds. These did not: {', '.join(failed)}.")
    origins = "; ".join(dict.fromkeys(origin(each) for each in results))
    texts = (textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) for text in (held, f"Measured with {origins}."))
    return "\n\n".join(["\n".join(lines), *texts])


def replaced(text, content):
    """Returns a document with other content between `<!-- attacks -->` and `<!-- end of attacks -->`."""
    begin, end = "<!-- attacks -->", "<!-- end of attacks -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise Malformed(f"the document needs {begin} and {end} once each")
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}\n{content}\n{end}", text, flags=re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, nargs="+")
    parser.add_argument("document", type=pathlib.Path)
    options = parser.parse_args()
    try:
        results = [json.loads(file.read_text(encoding="utf-8")) for file in options.results]
        text = replaced(options.document.read_text(encoding="utf-8"), table(results))
    except (OSError, ValueError, Malformed) as error:
        parser.exit(66, f"attack-report: {error}\n")
    except KeyError as error:
        parser.exit(65, f"attack-report: the results have no {error}: run the attacks again\n")
    options.document.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
