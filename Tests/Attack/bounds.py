"""What holds under every attack: the one place of the suite's numbers."""

import os
from dataclasses import dataclass

MIB = 1 << 20

# `limits.memoryBytes`: beyond it connections are cut off for which much is kept.
MEMORY_LIMIT = 4096 * MIB

# What may come on top of it until that is seen and what was kept is free: a look each 20 ms, a turn in between.
OVERSHOOT = 256 * MIB

# What a broker at its default limits may take whatever comes: the "most memory" of Documentation/Configuration.md.
MOST_MEMORY = int(os.environ.get("ATTACK_MOST_MEMORY_MIB", "0")) * MIB or MEMORY_LIMIT + OVERSHOOT

# The same with a limit that is reached soon, in short runs, too.
SMALL_MEMORY_LIMIT = 192 * MIB
SMALL_MOST_MEMORY = SMALL_MEMORY_LIMIT + OVERSHOOT

# A broker that takes more is ended, so that the machine lives on; the attack has failed.
CEILING = 5120 * MIB

# The good client's 99th percentile stays under so many times its quiet one.
TIMES_QUIET = 5

# Seconds for which one client may hold up everybody: the "longest delays" of Documentation/Configuration.md.
HELD_UP_BY_SUBSCRIPTIONS = 2.0
HELD_UP_BY_MANY = 0.3
# By thousands of connections that end at once.
HELD_UP_BY_ENDS = 0.5
HELD_UP_BY_ALL = 1.0
# By more timers than it can handle in time: a command counts after what was due before it.
HELD_UP_BY_TIMERS = 1
HELD_UP_BY_MEMORY = 1.0
HELD_UP_BY_HUNDREDS = 2.0
# By a hundred producers: each has a frame handled in turn, which takes more than a millisecond.
HELD_UP_BY_PRODUCERS = 0.5
# By one producer's batches with as many commands as fit: two of them are under way, and each has to be applied.
HELD_UP_BY_BATCHES = 0.5

# Seconds within which a query is answered while another client fills the tables: the attacker's, which waits for a processor.
SLOWEST_QUERY = 2.0

# Seconds that one turn of the broker's loop may take: during it nobody is served. Configuration.md's "longest delays".
LONGEST_TURN = 0.02
# The same in the families whose work libzmq does in calls that cannot be divided.
TURN_OF_LIBZMQ = 0.1
FAMILIES_OF_LIBZMQ = ("connections", "frames", "keys", "readers", "subscriptions")

# Memory that may stay after an attack that leaves nothing live behind.
KEPT = 128 * MIB

# What a broker has that does little, and what one message without an end may take besides, sent at full speed, until a broker
# that has to wait for its processor notices it: the "most memory" of Documentation/Configuration.md, and Security.md.
IDLE_MEMORY = 40 * MIB
ENDLESS_MEMORY = 256 * MIB
# Such messages one after the other: that of the one before may not be free yet.
MOST_OF_ENDLESS = IDLE_MEMORY + ENDLESS_MEMORY + KEPT

# The same after a flood of shows that were accepted: as many closed ids as `maxIDs` are remembered, each with 72 bytes, its
# text, and the id of the popup that followed it. Ids that the broker makes have 27 bytes, in blocks of 32.
REMEMBERED = 4_000_000 * (72 + 2 * 32) + KEPT

# Lines of the log: a broker has ten a second for refusals, and some for what it cuts off, sums up, starts and ends.
LINES_A_SECOND = 15
LINES_BESIDES = 50

# Files that a journal may have opened meanwhile: the next segment is made ahead.
JOURNAL_FILES = 2

# A process that was told to end has so long.
END_SECONDS = 30


@dataclass(frozen=True)
class Mode:
    """How long, how large: short beside other tests with a debug build, long by itself with a release build."""

    name: str
    quiet: float  # seconds that the good client is measured before
    during: float  # seconds that an attack takes unless it needs others, and that are looked at at least
    after: float  # seconds that the good client is measured after
    settling: float  # seconds after the end within which descriptors and memory are back
    floor: float  # a p99 in seconds under which a shared machine's own noise lies
    fair_floor: float  # the same for small commands at full speed, which is what fairness is about
    turns: float  # how many times as long as the bound a turn may be
    limit: float  # seconds after which an attack is given up at the latest
    is_shared: bool  # whether the attacks of a family come one after the other to one broker

    @property
    def is_long(self):
        return self.name == "long"


# The floor of short runs is high: a debug build on two processors, beside other tests, whose own noise is more than what is
# measured. The quiet time before has six states, of which the slowest is the 99th percentile: too few for a bound to follow it.
# A turn of a debug build is ten to thirty times as long as one of a release build, and waits for a processor meanwhile.
# What a flood has sent is read at the broker's own speed, and its connection ends after that: settling takes so long at
# most, and ends as soon as everything is back.
SHORT = Mode("short", quiet=0.6, during=0.5, after=0.4, settling=20, floor=2.0, fair_floor=1.0, turns=100, limit=90, is_shared=True)
LONG = Mode("long", quiet=3.0, during=8.0, after=10.0, settling=12, floor=0.1, fair_floor=0.02, turns=1, limit=180, is_shared=False)
