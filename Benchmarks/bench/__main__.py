"""Runs the parts, prints their tables, keeps what was found."""

import argparse
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from . import __doc__ as purpose
from . import results
from .bench import Bench
from .failure import Failure
from .parts import ALL, USUAL
from .scale import FULL, QUICK


def parsed():
    parser = argparse.ArgumentParser(prog="Benchmarks/run.sh", description=purpose.splitlines()[0])
    parser.add_argument("--built", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--broker", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--gateway", help=argparse.SUPPRESS)
    parser.add_argument("--fleet", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--only", action="append", choices=ALL, metavar="PART",
                        help=f"one part; can be repeated: {', '.join(ALL)} (all but peers, gateway and fleet)")
    parser.add_argument("--runs", type=int, help=f"interleaved runs of each row ({FULL.runs})")
    parser.add_argument("--quick", action="store_true", help="small runs of everything: whether it works, not how fast")
    parser.add_argument("--results", type=pathlib.Path, help="where the figures are kept (.build/bench/results.json)")
    return parser.parse_args()


def main():
    options = parsed()
    scale = QUICK if options.quick else FULL
    if options.runs:
        scale = dataclasses.replace(scale, runs=max(options.runs, 1))
    kept = options.results or options.built / ("quick.json" if options.quick else "results.json")
    busy = os.getloadavg()[0]
    if busy > 0.5 and not options.quick:
        print(f"bench: other work runs on this machine (load {busy:.1f}): the figures will be noise", file=sys.stderr)
    # Whoever ends the benchmark ends its servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(dir=options.built, prefix="run-") as directory:
        bench = Bench(options, scale, pathlib.Path(directory).resolve())
        try:
            for name in options.only or USUAL:
                found = ALL[name].measure(bench)
                results.keep(kept, name, found)
                for table in ALL[name].tables(found):
                    print(table.text(), end="\n\n", flush=True)
        except KeyboardInterrupt:
            sys.exit(130)
        except (Failure, subprocess.SubprocessError) as failure:
            sys.exit(f"bench: {failure}")


if __name__ == "__main__":
    main()
