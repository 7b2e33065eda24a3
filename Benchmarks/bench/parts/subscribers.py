"""Several subscribers of the same stream, each of which gets all of it; and one with many subscriptions."""

from ..rounds import Row, figures, measure as measure_rows, ratios, spread
from ..servers import settings
from ..table import Table

MIDDLES = [("relay", "frames3"), ("broker", "show")]


def measure(bench):
    scale = bench.scale
    several = [
        Row(f"{server} {consumers}", server, workload,
            {"count": scale.messages // 4, "groups": 1000, "consumers": consumers})
        for consumers in scale.consumers for server, workload in MIDDLES
    ]
    many = [
        Row(f"{server} {subscriptions}", server, workload,
            {"count": scale.messages // 2, "groups": scale.subscriptions} | (
                {"subscriptions": subscriptions} if subscriptions > 1 else {}),
            tuple(settings(subscriptionsPerConnection=2 * scale.subscriptions)))
        for subscriptions in (1, scale.subscriptions) for server, workload in MIDDLES
    ]
    return {
        "consumers": scale.consumers, "several": measure_rows(bench, several),
        "subscriptions": [1, scale.subscriptions], "many": measure_rows(bench, many),
    }


def tables(found):
    several = Table(
        "Subscribers that each follow everything: deliveries per second, the sum of all subscribers.",
        ["subscribers", "relay, 3f", "broker, show → state/", "broker × relay", "CPU of the broker, µs per delivery"])
    for consumers in found["consumers"]:
        relay, broker = (found["several"][f"{server} {consumers}"] for server, _ in MIDDLES)
        several.rows.append([
            str(consumers), *(spread([run["rate"] * consumers for run in runs], ",.0f") for runs in (relay, broker)),
            spread(ratios(broker, relay, "rate"), ".2f"),
            spread([run["cpu"] / consumers for run in broker], ".2f"),
        ])
    many = Table(
        f"One subscriber with one subscription for everything, or with one for each of {found['subscriptions'][-1]:,} groups.",
        ["subscriptions", "relay, 3f, messages/s", "× one", "broker, show → state/, messages/s", "× one"])
    for subscriptions in found["subscriptions"]:
        cells = [f"{subscriptions:,}"]
        for server, _ in MIDDLES:
            runs = found["many"][f"{server} {subscriptions}"]
            cells += [spread(figures(runs, "rate"), ",.0f"),
                      spread(ratios(runs, found["many"][f"{server} 1"], "rate"), ".2f")]
        many.rows.append(cells)
    return [several, many]
