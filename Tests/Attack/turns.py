"""The turns of the broker's loop: how many are long, and how long the longest is, by its own statistics; and how much of
that the machine did."""

import time
from dataclasses import dataclass

from bounds import LONGEST_TURN


@dataclass(frozen=True)
class Turns:
    """Turns of a span of time, in seconds."""

    count: int = 0
    long: int = 0  # longer than 20 ms
    p99: float = 0.0  # since the broker's start, whatever the span
    longest: float = 0.0

    @staticmethod
    def of(stats):
        """Returns those since the broker's start, of its statistics."""
        turns = stats.get("turns", {})
        return Turns(
            int(turns.get("count", 0)), int(turns.get("long", 0)), int(turns.get("p99Us", 0)) / 1e6, int(turns.get("longestUs", 0)) / 1e6)

    def since(self, earlier):
        """Returns those after an earlier moment. How long the longest was is known when it is longer than all before;
        of others it is only known whether one was long."""
        long = self.long - earlier.long
        longest = self.longest if self.longest > earlier.longest else LONGEST_TURN if long else 0.0
        return Turns(self.count - earlier.count, long, self.p99, longest)


class Waits:
    """How long a broker's threads wait for a processor: that makes a turn longer, and is the machine's doing."""

    def __init__(self, broker):
        self.broker, self._samples = broker, []
        self.look()

    def look(self):
        """Takes a sample: how long each thread has waited so far."""
        self._samples.append((time.monotonic(), self.broker.processor_waits()))

    def take(self, seconds):
        """Returns the longest wait of a thread in any turn of this length in seconds since the last call."""
        samples, self._samples = self._samples, self._samples[-1:]
        return longest_wait(samples, seconds)


def longest_wait(samples, seconds):
    """Returns the longest wait of a thread in any span of this length in seconds. A sample is a time, and the waits by thread.

    A turn lies between two samples: the last one before it and the first one after it."""
    most, first = 0.0, 0
    for last, (_, waits) in enumerate(samples):
        # The latest sample before which such a turn cannot have begun, if it ended after the sample before this one.
        while first + 1 < last and samples[first + 1][0] + seconds <= samples[last - 1][0]:
            first += 1
        earlier = samples[first][1]
        most = max([most, *(waited - earlier.get(thread, waited) for thread, waited in waits.items())])
    # It waits no longer than it takes.
    return min(most, seconds)
