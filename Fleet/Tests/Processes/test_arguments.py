#!/usr/bin/env python3
"""Misspelt commands and options are told with the one that may be meant, before what is missing. No etcd is asked.

POPUP_FLEET: the program."""
import os
import subprocess
import sys

FLEET = os.environ["POPUP_FLEET"]
# What is wrong with the arguments, and the first line about it.
MISTAKES = [
    (["staus", "--endpoints", "http://10.0.0.1:2379"], "popup-fleet: there is no command `staus`; did you mean `status`?"),
    (["broker"], "popup-fleet: there is no command `broker`; see `popup-fleet --help`"),
    # Without --node, too: it may be what was meant.
    (["run", "--nod", "left"], "Error: Unknown option '--nod'. Did you mean '--node'?"),
    (["run", "--node=left", "--endpoint=http://10.0.0.1:2379"],
     "Error: Unknown option '--endpoint'. Did you mean '--endpoints'?"),
    (["export", "--too", "/tmp/x"], "Error: Unknown option '--too'. Did you mean '--to'?"),
    (["create", "--shrad", "main"], "Error: Unknown option '--shrad'. Did you mean '--shard'?"),
    (["run"], "Error: Missing expected argument '--node <node>'"),
    (["import"], "Error: Missing expected argument '<directory>'"),
]


def main():
    for arguments, line in MISTAKES:
        done = subprocess.run([FLEET, *arguments], capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 64 and done.stdout == "", (arguments, done)
        assert done.stderr.splitlines()[0] == line, (arguments, done.stderr)
    shown = subprocess.run([FLEET, "run", "--help"], capture_output=True, text=True, check=False, timeout=60)
    assert shown.returncode == 0 and "--quota-bytes" in shown.stdout, shown
    print(f"{len(MISTAKES)} mistakes in arguments are told")


if __name__ == "__main__":
    main()
    sys.exit(0)
