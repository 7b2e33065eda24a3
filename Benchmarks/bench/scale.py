"""How much is measured: all of it, or as much as shows in a minute that it works."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Scale:
    runs: int = 5
    messages: int = 1_000_000
    # A latency run's length, and the rates of such runs, a second.
    seconds: int = 5
    rates: tuple = (1_000, 10_000, 100_000)
    groups: tuple = (1_000, 100_000, 1_000_000)
    consumers: tuple = (1, 4, 16)
    subscriptions: int = 10_000
    timers: int = 1_000_000
    # In ms: within which they fall due.
    timers_within: int = 10_000
    waiting: tuple = (1_000, 10_000_000)
    live: tuple = (100_000, 1_000_000)
    # Of the gateway.
    streams: int = 10_000
    # To the log of a fleet.
    appends: int = 500


FULL = Scale()
QUICK = Scale(
    runs=1, messages=50_000, seconds=1, rates=(10_000,), groups=(1_000, 20_000), consumers=(1, 4), subscriptions=1_000,
    timers=20_000, timers_within=2_000, waiting=(1_000, 20_000), live=(20_000,), streams=500,
    appends=100,
)
