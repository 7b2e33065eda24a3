"""Single commands, and single moments, that concern many popups at once: no step of them holds the others up."""

import json
import time

import zmq

from bounds import HELD_UP_BY_MANY, HELD_UP_BY_TIMERS, MIB
from protobuf import NEXT, SAME, batch, command, message, show
from stage import PATIENCE_MS, Console, attack, limit_use

FRAME = 131072
READ_WHOLE = 2000  # commands: a frame with no more is read whole, whatever each takes: Documentation/Protocol.md
SHORTEST_TIMEOUT, MOST_ATTEMPTS = 10, 100  # what a policy may say, in ms and times: Documentation/Scheduling.md
MOST_FEED = 1 * MIB + FRAME  # a feed message is a mebibyte and the state that goes over it at most


def fill_by_batches(stage, one, popups):
    """Shows this number of popups in batches that each fill a frame and are read whole, and waits until they are handled."""
    commands = min(READ_WHOLE, (FRAME - 1000) // (len(one) + 4))
    frames = -(-popups // commands)
    live = stage.fill([batch([one] * commands)], frames)["popups"]
    stage.notes["popups"] = live
    stage.expect(live >= popups, f"the attack had no effect: {live} popups are live, under {popups}")


@attack("due-at-once", kept=0, durations=(2, 15), limit=120)
def due_at_once(stage):
    """A hundred thousand popups in groups of their own that all end in the same millisecond."""
    popups = stage.pick(2000, 100000)
    # What arrives while it is filled waits for one moment: delays shrink as time goes on.
    moment = time.monotonic() + stage.pick(3, 6)
    number = 0
    with Console(stage) as console:
        while number < popups:
            delay = max(1, round((moment - time.monotonic()) * 1000))
            console.send(batch([
                show(f"due{number + n}", f"due/{number + n}", delay=delay, duration=1000) for n in range(1500)]))
            number += 1500
        stage.notes["popups"] = number
        stage.expect(time.monotonic() < moment, "the attack had no effect: the popups were not sent before they arrived")
        with stage.expecting(seconds=stage.pick(10, 30), shown=number):
            time.sleep(max(0, moment + 1.2 - time.monotonic()))


@attack("resumed-at-once", holdup=HELD_UP_BY_MANY, kept=0, durations=(1.5, 15), limit=120)
def resumed_at_once(stage):
    """A suspension that holds a hundred thousand groups is released, and laid on them again."""
    with Console(stage) as console:
        console.tell(suspend={"group": "held/*", "token": "hold"})
        popups = stage.pick(2000, 100000)
        fill_by_batches(stage, show("h" + NEXT, "held/" + SAME, duration=600000), popups)
        with stage.expecting(seconds=10, shown=popups, paused=popups, resumed=popups):
            for _ in stage.rounds(most=stage.pick(3, 10)):
                console.tell(resume={"token": "hold"})
                console.ask({"count": {"selector": {"group": "held/*", "active": True}}}, seconds=30)
                console.tell(suspend={"group": "held/*", "token": "hold"})
                console.ask({"stats": {}}, seconds=30)


@attack("renderer-lost", holdup=HELD_UP_BY_MANY, kept=0, durations=(1.5, 20), limit=120)
def renderer_lost(stage):
    """A renderer of * goes while all live renderers' dismissals are awaited in a hundred thousand groups."""
    with Console(stage) as console:
        console.tell(setPolicy={"group": "quorum/*", "quorumAll": True, "rendererLost": "REQUEUE"})
        for client in ("one", "two"):
            console.tell(lease={"client": client, "groups": ["*"]})
        one = show("v" + NEXT, "quorum/" + SAME, duration=600000)
        fill_by_batches(stage, one, stage.pick(2000, 100000))
        dismissal = command("dismiss", message((1, "v" + NEXT), (4, "two")))
        report = command("report", message((1, "v" + SAME), (2, "one"), (3, b"")))
        console.tell(lease={"client": "one", "groups": ["*"]})
        console.tell(lease={"client": "two", "groups": ["*"]})
        pairs = min(READ_WHOLE // 2, (FRAME - 1000) // (len(report) + len(dismissal) + 6))
        frames = max(1, stage.pick(2000, 100000) // pairs)
        stage.fill([batch([dismissal, report] * pairs)], frames)
        # Each is displayed by nobody any more, and goes back into its queue.
        with stage.expecting(seconds=stage.pick(10, 5), queued=min(frames * pairs, stage.pick(2000, 100000))):
            console.tell(lease={"client": "one", "groups": []})
            console.ask({"count": {"selector": {"group": "quorum/*"}}}, seconds=30)
        console.tell(lease={"client": "two", "groups": []})
        for _ in stage.rounds(most=stage.pick(5, 50)):  # comes and goes
            console.tell(lease={"client": "one", "groups": ["*"]})
            console.tell(lease={"client": "one", "groups": []})
        console.ask({"stats": {}}, seconds=30)


@attack("page-entered", holdup=HELD_UP_BY_MANY, kept=0, durations=(1.5, 15), limit=120)
def page_entered(stage):
    """Pages are entered and left to which a hundred thousand popups are bound, in as many groups."""
    popups = stage.pick(2000, 100000)
    binding = message((17, message((1, "app"), (2, "shop"), (3, 2))))
    turn_pages(stage, show("b" + NEXT, "bound/" + SAME, more=binding), popups, shown=popups, paused=popups, resumed=popups)


@attack("page-entered-line", holdup=HELD_UP_BY_MANY, kept=0, durations=(1.5, 15), limit=120)
def page_entered_line(stage):
    """The same with fifty thousand popups in one group's queue."""
    popups = stage.pick(2000, 50000)
    binding = message((17, message((1, "app"), (2, "shop"), (3, 1))))
    turn_pages(stage, show("l" + NEXT, "bound", more=binding), popups, paused=1, resumed=1)


def turn_pages(stage, one, popups, **effect):
    """Enters and leaves a page to which `popups` popups are bound, and closes it. Expects their events to grow by `effect`."""
    with Console(stage) as console:
        tree = "app"
        console.tell(page={"tree": tree, "open": {"node": "root", "value": "home"}})
        console.tell(page={"tree": tree, "open": {"node": "shop", "parent": "root", "value": "shop"}})
        console.tell(page={"tree": tree, "open": {"node": "help", "parent": "root", "value": "help"}})
        fill_by_batches(stage, one, popups)
        slowest = 0.0
        with stage.expecting(seconds=10, CLOSED_PAGE_CLOSED=popups, **effect):
            for _ in stage.rounds(most=stage.pick(3, 20)):
                for node in ("shop", "help"):
                    console.tell(page={"tree": tree, "enter": {"node": node}})
                    _, took = console.ask({"stats": {}}, seconds=30)
                    slowest = max(slowest, took)
            stage.notes["slowest step s"] = round(slowest, 3)
            console.tell(page={"tree": tree, "close": {"node": "shop"}})
            console.ask({"stats": {}}, seconds=60)


@attack("session-changed", holdup=HELD_UP_BY_MANY, kept=0, durations=(2, 10), limit=120)
def session_changed(stage):
    """Fifty thousand popups in one group belong to a session that begins and ends."""
    popups = stage.pick(2000, 50000)
    fill_by_batches(stage, show("s" + NEXT, "session", more=message((18, "one"))), popups)
    with Console(stage) as console, stage.expecting(CLOSED_SESSION_ENDED=popups):
        for session in ("one", "two", "one", ""):
            console.tell(setSession={"group": "session", "session": session})
            console.ask({"stats": {}}, seconds=60)


@attack("suspended-by-many", holdup=HELD_UP_BY_MANY, kept=0, durations=(2, 15), limit=120)
def suspended_by_many(stage):
    """Nearly as many suspensions of other groups as there may be, of deep patterns and of one group by many tokens; then new
    groups come, and all are suspended and resumed."""
    tokens, popups = 850, stage.pick(2000, 100000)
    with Console(stage) as console:
        for number in range(tokens):
            group = "nobody" if number % 2 else f"many/a/b/c/d/{number}/*"
            console.tell(suspend={"group": group, "token": f"token {number}"})
        stats, _ = console.ask({"stats": {}}, seconds=30)
        used, _ = limit_use(stats["stats"])["limits.suspensions"]
        stage.expect(used >= tokens, f"the attack had no effect: {used} suspensions are in force, under {tokens}")
        fill_by_batches(stage, show("by-many-" + NEXT, "many/a/b/c/d/" + SAME, duration=600000), popups)
        with stage.expecting(seconds=10, paused=popups, resumed=popups):
            for _ in range(stage.pick(1, 3)):
                console.tell(suspend={"group": "many/*", "token": "all"})
                console.ask({"stats": {}}, seconds=60)
                console.tell(resume={"token": "all"})
                console.ask({"stats": {}}, seconds=60)


@attack("flows-reversed", holdup=HELD_UP_BY_MANY, kept=0, durations=(1.5, 10), limit=120)
def flows_reversed(stage):
    """Many flows wait in one group, each with as many members as it may have, the first stages last; then the slot is free."""
    flows, members = stage.pick(30, 900), 100
    with Console(stage) as console:
        console.send(show("taker", "flows", duration=600000))
        for number in range(members, 0, -1):
            console.send(batch([
                show(f"f{flow}-{number}", "flows", duration=600000,
                     more=message((16, message((1, f"flow {flow}"), (2, number))))) for flow in range(flows)]))
        live = stage.statistics(60, settled=True)["popups"]
        stage.notes["popups"] = live
        stage.expect(live >= flows * members, f"the attack had no effect: {live} popups are live, under {flows * members}")
        with stage.expecting(seconds=10, shown=1):
            console.tell(dismiss={"id": "taker"})
            _, took = console.ask({"stats": {}}, seconds=60)
        _, explained = console.ask({"explain": {"id": f"f{flows - 1}-{members}"}}, seconds=60)
        stage.notes.update({"slot s": round(took, 3), "why s": round(explained, 3)})


@attack("cleared-at-once", holdup=HELD_UP_BY_MANY, kept=0, durations=(2, 15), limit=120)
def cleared_at_once(stage):
    """A hundred thousand groups are given a policy and cleared by one command each, while their events are followed."""
    popups = stage.pick(2000, 100000)
    fill_by_batches(stage, show("c" + NEXT, "cleared/" + SAME, duration=600000), popups)
    with Console(stage) as console, stage.expecting(seconds=10, CLOSED_CLEARED=popups):
        console.subscriber.subscribe(b"events+json/cleared/")
        console.tell(setPolicy={"group": "cleared/*", "preset": "FIFO"})
        console.tell(setPolicy={"group": "cleared/*", "preset": "STACKED", "agingMs": 1})
        console.ask({"stats": {}}, seconds=60)
        console.tell(clear={"selector": {"group": "cleared/*"}})
        console.ask({"stats": {}}, seconds=60)


@attack("everything-in-one-batch", holdup=HELD_UP_BY_MANY, needs_speed=True, kept=0, durations=(2, 15), limit=120)
def everything_in_one_batch(stage):
    """One batch that shows and clears in many thousand groups, with feed/ followed: its messages stay bounded."""
    context = zmq.Context()
    follower = context.socket(zmq.SUB)
    follower.setsockopt(zmq.RCVHWM, 0)
    follower.connect(f"tcp://127.0.0.1:{stage.egress}")
    follower.subscribe(b"feed/")
    # What the good client shows comes once the subscription is there.
    stage.expect(follower.poll(PATIENCE_MS), "nothing came on feed/ before the attack")
    text = "x" * stage.pick(500, 2000)
    popups = stage.pick(3000, 60000)
    fill_by_batches(stage, show("o" + NEXT, "once/" + SAME, duration=600000, text=text), popups)
    with Console(stage) as console, stage.expecting(seconds=10, CLOSED_CLEARED=popups):
        console.tell(suspend={"group": "once/*", "token": "once"})
        console.tell(resume={"token": "once"})
        commands = [{"clear": {"selector": {"group": "once/*"}}}]
        console.send(json.dumps({"commands": commands}).encode())
        console.ask({"stats": {}}, seconds=60)
    messages, longest, end = 0, 0, time.monotonic() + stage.pick(1, 5)
    while time.monotonic() < end and follower.poll(200):
        longest, messages = max(longest, len(follower.recv_multipart()[1])), messages + 1
    context.destroy(linger=0)
    stage.notes.update({"feed messages": messages, "longest KiB": longest >> 10})
    stage.expect(messages, "nothing came on feed/")
    stage.expect(longest <= MOST_FEED, f"a message of {longest >> 10} KiB on feed/, over {MOST_FEED >> 10} KiB")


@attack("goes-round", holdup=HELD_UP_BY_TIMERS, kept=0, durations=(2, 15))
def goes_round(stage):
    """Popups that nobody displays go round as often and as fast as a policy may say, in thousands of groups."""
    with Console(stage) as console:
        with stage.expecting(seconds=5, REFUSED_INVALID=2):
            for beyond in ({"displayTimeoutMs": SHORTEST_TIMEOUT - 1}, {"maxAttempts": MOST_ATTEMPTS + 1}):
                console.tell(setPolicy={"group": "round/*", "undisplayed": "SKIP", **beyond})
        console.tell(setPolicy={
            "group": "round/*", "displayTimeoutMs": SHORTEST_TIMEOUT, "undisplayed": "SKIP", "maxAttempts": MOST_ATTEMPTS,
            "peers": "PAUSE", "retryMs": 1, "offerMs": 1, "gapMs": 0, "agingMs": 1})
        popups = stage.pick(20, 20000)
        # Each is shown as often as it may be; then it closes.
        with stage.expecting(stage.pick(15, 60), shown=popups * MOST_ATTEMPTS, CLOSED_UNDISPLAYED=popups):
            stage.flood([show("r" + NEXT, "round/" + SAME, duration=600000)], count=popups)
            for _ in stage.rounds():
                console.tell(lease={"client": "one", "groups": ["round/*"]})
                console.ask({"stats": {}}, seconds=30)
                time.sleep(0.2)
