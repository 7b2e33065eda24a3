"""Compares what brokers published with the one history that their log determines. Each check returns the problems that it
finds, one sentence each; test_checker.py plants one of each kind."""
import json
from bisect import bisect_right
from dataclasses import dataclass

# What a recorder hears.
CHANNELS = ("state", "event", "feed", "heartbeat")
# What is not the state's: who publishes it, why, and when.
OF_A_PUBLICATION = ("epoch", "cause")
# The maximum time in seconds for which an owner is heard after the next one has begun: 3 s, and half a second for the way to a
# screen.
LATEST_WORD = 3.5


@dataclass
class Heard:
    """What a screen heard. `node` is the node that said it; None for a screen that listens to all."""

    at: float
    node: object
    channel: str
    message: dict

    @property
    def epoch(self):
        return int(self.message["epoch"])


@dataclass
class Acked:
    """A command that was acknowledged by the owner of an epoch: first sent, and acknowledged, at these times."""

    producer: str
    sequence: int
    name: str
    content: dict
    sent: float
    at: float
    epoch: int


@dataclass
class Ack:
    """An acknowledgement, in the order in which a producer heard them."""

    producer: str
    epoch: int
    cumulative: int


def popup_of(state):
    return state.get("active", {}).get("id", "")


def place_of(message):
    return message["group"], int(message["revision"])


def without_defaults(message):
    """A message without members that say nothing, and with numbers as text: JSON may have 64-bit numbers either way."""
    return {name: without_defaults(value) if isinstance(value, dict) else str(value) for name, value in message.items()
            if value not in (0, "0", "", False, None, [], {})}


def content_of(state):
    """Returns the content of a state, which does not depend on the node that publishes it."""
    content = {name: value for name, value in state.items() if name not in OF_A_PUBLICATION}
    if "active" in content:
        content["active"] = {name: value for name, value in content["active"].items() if name != "remainingMs"}
    return without_defaults(content)


class History:
    """The states of all groups, from the lines of `fleet-trial history`: the epoch in which one began, and its message."""

    def __init__(self, lines):
        self.states = {}
        self.last = {}
        for line in lines:
            begins, message = line.split(" ", 1)
            state = json.loads(message)
            state.setdefault("revision", "0")
            state.setdefault("group", "")
            self.states.setdefault(place_of(state), []).append((int(begins), state))
            self.last[state["group"]] = state

    def of(self, message, epoch):
        """The states of a group's revision that an owner of an epoch may publish."""
        return [state for begins, state in self.states.get(place_of(message), []) if begins <= epoch]


def wrong_states(history, heard):
    """Every state that was published, in whatever epoch and on whatever channel, is the history's: all of its content."""
    found = []
    for word in heard:
        if word.channel not in ("state", "feed"):
            continue
        right = history.of(word.message, word.epoch)
        if not any(content_of(state) == content_of(word.message) for state in right):
            found.append(f"{word.channel} of epoch {word.epoch} had {word.message}; the history has {right}")
    return found


def wrong_texts(commands, heard):
    """Every popup that was shown has the text that a command of the log gave it."""
    texts = {}
    for command in commands:
        if command.name in ("show", "update"):
            texts.setdefault(command.text(1), set()).add(command.text(11 if command.name == "show" else 5))
    return [f"{word.channel} of epoch {word.epoch} shows {word.message['active']}; the log gave it {texts.get(popup)}"
            for word in heard if word.channel in ("state", "feed") and (popup := popup_of(word.message))
            and word.message["active"].get("text", "") not in texts.get(popup, ())]


KINDS = ("queued", "offered", "shown", "paused", "resumed", "updated", "closed")
# After these, the popup has its group's slot; after those, it has not.
IN_THE_SLOT, OUT_OF_THE_SLOT = ("shown", "resumed", "offered"), ("queued", "paused", "closed")


def kind_of(event):
    return next((kind for kind in KINDS if kind in event), "refused")


def wrong_events(history, heard):
    """Every event is one of the history: its revision is there, and shows or does not show the popup. A node tells it once.
    Two epochs may tell it, with the same content. A popup closes once."""
    found, told, contents, ends = [], set(), {}, {}
    for word in heard:
        if word.channel != "event":
            continue
        event, kind = word.message, kind_of(word.message)
        if kind == "refused":
            continue
        group, revision = place_of(event)
        name = f"{kind} of {event['popup']} in {group}, revision {revision}"
        if word.node is not None:
            key = (word.node, word.epoch, group, event["popup"], revision, kind)
            if key in told:
                found.append(f"{word.node} told twice in epoch {word.epoch}: {name}")
            told.add(key)
        content = json.dumps(event[kind], sort_keys=True)
        if contents.setdefault((group, event["popup"], revision, kind), content) != content:
            found.append(f"epochs differ: {name}, {event[kind]}, and {contents[group, event['popup'], revision, kind]}")
        if kind == "closed" and ends.setdefault(event["popup"], (group, revision)) != (group, revision):
            found.append(f"{event['popup']} closed in revision {revision} and in {ends[event['popup']]}")
        states = history.of(event, word.epoch)
        shows = [popup_of(state) == event["popup"] for state in states]
        if not states or kind in IN_THE_SLOT and not any(shows) or kind in OUT_OF_THE_SLOT and all(shows):
            found.append(f"epoch {word.epoch} told: {name}; the history has {states}")
    return found


def back_from_the_end(history, heard):
    """No popup is active in a revision that is later than the one in which it closed, in the history and at any node."""
    ends = {word.message["popup"]: place_of(word.message) for word in heard
            if word.channel == "event" and kind_of(word.message) == "closed"}
    states = [state for versions in history.states.values() for _, state in versions]
    states += [word.message for word in heard if word.channel in ("state", "feed")]
    found = []
    for state in states:
        group, revision = ends.get(popup_of(state), (None, 0))
        if group == state["group"] and int(state["revision"]) >= revision:
            found.append(f"{popup_of(state)} closed in revision {revision}, and is shown: {state}")
    return found


def late_words(heard, pauses, paused=lambda began, ended: 0.0, limit=LATEST_WORD):
    """Nobody hears an epoch long after a newer one has begun, unless its node was paused: what lay in the queues of a paused
    node comes when it goes on.

    pauses: The node, and when its pause began and ended. paused: The seconds of a time for which the machine paused."""
    begins = {}
    for word in heard:
        begins[word.epoch] = min(begins.get(word.epoch, word.at), word.at)
    found, newest = [], {}
    earliest = float("inf")
    for epoch in sorted(begins, reverse=True):
        newest[epoch] = earliest
        earliest = min(earliest, begins[epoch])
    for word in heard:
        overtaken = newest[word.epoch]
        goes_on = max((end for node, begin, end in pauses if node == word.node and begin <= word.at), default=0)
        since = max(overtaken, goes_on)
        if word.at > since + limit + paused(since, word.at):
            found.append(f"{word.node} told of epoch {word.epoch} {word.at - overtaken:.1f} s after a later one had begun")
    return found


# What the log has of a command, by the numbers of its fields.
CONTENT = {"show": {"id": 1, "group": 2, "text": 11}, "update": {"id": 1, "text": 5}, "dismiss": {"id": 1, "action": 2},
           "report": {"id": 1, "client": 2}, "answer": {"id": 1, "client": 2}}


def wrong_acknowledgements(commands, acked, acks=()):
    """What was acknowledged is in the log exactly once, as it was sent; a command that was acknowledged before another was
    sent stands before it; no acknowledgement tells of what a later epoch wrote, and none goes back."""
    found, places = [], {}
    for command in commands:
        if not command.sequence:
            continue
        key = command.producer, command.sequence
        if key in places:
            found.append(f"{key} is in the entries {places[key].index} and {command.index}")
        places[key] = command
    known = []
    for one in acked:
        command = places.get((one.producer, one.sequence))
        if command is None:
            found.append(f"{one.name} {one.sequence} of {one.producer} was acknowledged, and is not in the log")
            continue
        known.append((command.place, one))
        sent = {name: str(one.content.get(name, "")) for name in CONTENT.get(one.name, {})}
        kept = {name: command.text(number) for name, number in CONTENT.get(one.name, {}).items()}
        if (one.name, sent) != (command.name, kept):
            found.append(f"{one.name} {sent} was acknowledged; the log has {command.name} {kept}")
    # From the end of the log: the earliest acknowledgement of all that stands later.
    known.sort(key=lambda pair: pair[0], reverse=True)
    earliest = None
    for _, one in known:
        if earliest is not None and earliest.at < one.sent:
            found.append(f"{earliest.sequence} of {earliest.producer} was acknowledged before {one.sequence} of "
                         f"{one.producer} was sent, and stands after it")
        if earliest is None or one.at < earliest.at:
            earliest = one
    return found + wrong_acks(places, acks)


def wrong_acks(places, acks):
    found, newest, written = [], {}, {}
    for (producer, sequence), command in sorted(places.items()):
        # The latest epoch that wrote any of the sequences so far.
        sequences, latest = written.setdefault(producer, ([], []))
        sequences.append(sequence)
        latest.append(max(command.epoch, latest[-1] if latest else 0))
    for ack in acks:
        sequences, latest = written.get(ack.producer, ([], []))
        count = bisect_right(sequences, ack.cumulative)
        if count and latest[count - 1] > ack.epoch:
            found.append(f"epoch {ack.epoch} acknowledged up to {ack.cumulative} of {ack.producer}, of which epoch "
                         f"{latest[count - 1]} wrote some")
        epoch, cumulative = newest.get(ack.producer, (0, 0))
        if ack.epoch >= epoch:
            if ack.cumulative < cumulative:
                found.append(f"the acknowledgements of {ack.producer} went back from {cumulative} to {ack.cumulative}")
            newest[ack.producer] = (ack.epoch, max(cumulative, ack.cumulative))
    return found


def wrong_end(history, groups, shown):
    """In the end each screen shows the last state of each group."""
    found = []
    for number, states in enumerate(shown):
        for group in groups:
            last, state = history.last.get(group), states.get(group)
            if last is None or state is None or content_of(last) != content_of(state):
                found.append(f"the screen {number} ended with {state}; the history ends with {last}")
    return found


def wrong_leases(commands, client, groups):
    """A renderer's lease is in the log, with its groups."""
    if any(command.name == "lease" and command.text(1) == client
           and {one.decode() for one in command.fields.get(2, [])} == set(groups) for command in commands):
        return []
    return [f"the log has no lease of {client}"]


class Follower:
    """The rule of clients: a message of an older epoch than the newest is dropped, for all groups; so is an older revision."""

    def __init__(self):
        self.epoch = 0
        self.shown = {}
        self.closed = set()
        self.wrong = []

    def take(self, channel, message):
        """Takes a message. Returns whether it is not dropped."""
        epoch = int(message["epoch"])
        if epoch < self.epoch:
            return False
        self.epoch = epoch
        if channel == "event":
            if kind_of(message) == "closed":
                self.closed.add(message["popup"])
            return True
        if channel != "state":
            return True
        group, revision = place_of(message)
        before = self.shown.get(group)
        if before and revision < int(before["revision"]):
            # Within an epoch an older state is a late one, and is dropped; a new epoch must not go back.
            if epoch > int(before["epoch"]):
                self.wrong.append(f"{group} went back from {before} to {message}")
            return False
        if popup_of(message) in self.closed:
            self.wrong.append(f"{popup_of(message)} was closed, and comes back: {message}")
        self.shown[group] = message
        return True


def all_problems(history, commands, heard, followers):
    """What is wrong with what was published."""
    found = wrong_states(history, heard) + wrong_texts(commands, heard) + wrong_events(history, heard)
    found += back_from_the_end(history, heard)
    return found + [problem for one in followers for problem in one.wrong]
