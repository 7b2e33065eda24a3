"""The turns of the broker's loop: how many are long, and how long the longest is, by its own statistics; and how much of
that the machine did."""

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
        self.broker, self.most, self._last, self._seen = broker, 0.0, 0.0, broker.processor_waits()

    def look(self):
        """Takes a sample. A turn may lie in two spans between samples: `most` is the longest wait of a thread in both."""
        now = self.broker.processor_waits()
        grown = max((waited - self._seen.get(thread, waited) for thread, waited in now.items()), default=0.0)
        self.most, self._last, self._seen = max(self.most, self._last + grown), grown, now

    def take(self):
        """Returns the longest wait since the last call."""
        most, self.most = self.most, 0.0
        return most
