"""What popup-fleet says when it cannot do something: one sentence, an exit code, and in time."""
import subprocess
import time

from harness import FLEET, SLACK

# Seconds for a command of operators: a request has 1 or 2 s, and a command makes a few.
COMMAND = 10 * SLACK
# Seconds for which a node that starts waits for an etcd that does not answer, and what it needs beside that.
NODE = 30 + 10 * SLACK


def refused(code, sentence, *arguments, within=COMMAND):
    """Runs popup-fleet, and expects that it ends with an exit code in time, after one line on standard error that contains a
    sentence."""
    began = time.monotonic()
    done = subprocess.run([FLEET, *arguments], capture_output=True, text=True, check=False, timeout=within + 60)
    seconds = time.monotonic() - began
    found = (arguments, done.returncode, done.stdout[-1000:], done.stderr[-1000:])
    assert done.returncode == code, found
    assert done.stderr.startswith("popup-fleet: ") and done.stderr.count("\n") == 1, found
    assert sentence in done.stderr, (sentence, found)
    assert seconds <= within, (seconds, found)


def node_of(where):
    """The arguments of a node that does not get so far as to bind its endpoints."""
    return ["run", *where, "--node", "left", "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*"]
