"""The good client as the suite has it: started, ended, and what its numbers say of a span of time."""

import json
import math
import os
import select
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from keyring import VARIABLE

READY_SECONDS = 30


@dataclass(frozen=True)
class Latency:
    """What the good client saw of a span: seconds; what never came counts as infinitely late."""

    shows: int
    lost: int  # states that never came
    unsettled: int  # acknowledgements that never came
    p50: float
    p99: float
    most: float
    ack_p99: float
    own_delay: float  # how late the client itself was at most: the machine, not the broker

    @staticmethod
    def of(shows):
        """Returns what is to be said of some shows."""
        states = sorted(math.inf if show[2] is None else show[2] for show in shows)
        acks = sorted(math.inf if show[3] is None else show[3] for show in shows)
        return Latency(
            shows=len(shows), lost=states.count(math.inf), unsettled=acks.count(math.inf),
            p50=quantile(states, 0.5), p99=quantile(states, 0.99), most=quantile(states, 1),
            ack_p99=quantile(acks, 0.99), own_delay=max((show[1] for show in shows), default=0))


def quantile(ordered, share):
    """Returns the nearest rank's value."""
    if not ordered:
        return 0.0
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


class MeasuredClient:
    """A good client beside a broker, from its start on."""

    def __init__(self, broker, keys=None):
        self.pending_file = tempfile.NamedTemporaryFile(prefix="attack-pending-")
        program = os.path.join(os.path.dirname(__file__), "good_client.py")
        self.process = subprocess.Popen(
            [sys.executable, "-B", program, str(broker.ingress), str(broker.egress), self.pending_file.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, VARIABLE: json.dumps(keys)})
        readable, _, _ = select.select([self.process.stdout], [], [], READY_SECONDS)
        if not readable or self.process.stdout.readline() != b"ready\n":
            self.process.kill()
            self.process.wait()
            raise RuntimeError("the good client gets no answer from a broker that nobody attacks")

    def pending(self):
        """Returns how many of its states have not come."""
        data = os.pread(self.pending_file.fileno(), 4, 0)
        return struct.unpack("=I", data)[0] if len(data) == 4 else 0

    def finish(self, seconds):
        """Ends it. Returns all its shows; waits at most so long for what has not come."""
        out, _ = self.process.communicate(f"{seconds}\n".encode(), timeout=seconds + READY_SECONDS)
        return json.loads(out)


def between(shows, start, end):
    return [show for show in shows if start <= show[0] < end]
