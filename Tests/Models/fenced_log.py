#!/usr/bin/env python3
"""Explores every state of a small fleet, and checks what its nodes publish against the one log.

    fenced_log.py                       the rules as they stand
    fenced_log.py --mutant NAME         one planted error, and the shortest way to what it breaks
    fenced_log.py --all-mutants         the rules, then each planted error; a survivor is a failure
    fenced_log.py --list                the names of the planted errors

Two nodes share a log. Each change of the log is one request that compares the whole head of the log and replaces it
(Documentation/Fleet.md). A request can be carried out late, never, or without an answer, and it is repeated until its
outcome is known. A node can claim the log at any time, whatever a lease says, and can end at any time. The clocks of the
nodes have nothing to do with each other.

Checked in each state:
    - times and epochs never go back in the log, and each epoch has one writer;
    - what a node published after its n-th entry, with timers handled until t, lies on the one history: the log begins
      with these n entries, and entry n + 1 is not earlier than t.

Publishing changes nothing else, so a node publishes whatever it may as soon as it may: that only adds checks.

Ends with 0 if nothing is found (with --mutant: if something is), with 1 otherwise.
"""

import argparse
import sys
from collections import deque, namedtuple

# The end of the log: replaced as a whole. `chain` names the content of all entries.
Head = namedtuple("Head", "epoch owner index horizon chain")
Entry = namedtuple("Entry", "epoch owner time content")
# A request that writes the head: `old` is compared, `new` replaces it; an advance has no entry.
Request = namedtuple("Request", "node old new entry")
# A node: what it has applied, the time until which it may handle timers, and its request whose outcome is unknown.
Node = namedtuple("Node", "role epoch applied clock horizon pending")
# `published`: for each list of applied entries, the latest time until which somebody published timers after it.
State = namedtuple("State", "head log nodes wire published claims ends")

STANDBY, OWNER = "standby", "owner"
NEW_NODE = Node(STANDBY, 0, (), 0, 0, None)

MUTANTS = {
    "time-out-is-a-failure": "a request without an answer is taken for one that is not in, and dropped",
    "no-horizon": "timers without a batch are handled by the clock alone",
    "own-clock": "a new owner begins at its own clock, and not at the head's horizon",
    "timers-while-pending": "timers are handled while a request is under way",
    "publish-before-append": "a batch is published before its append is in",
    "epoch-compared-alone": "an append compares epoch and owner, and not the whole head",
    "lease-believed": "nothing is compared: who has the lease writes",
    "refusal-is-success": "a refused owner does not look whose head it is",
    "tail-not-read": "a new owner has not applied the last entry",
    "hand-over-forgets-timers": "a hand-over takes the horizon back to the last entry, though later timers were handled",
}


class Model:
    """The rules, with at most one planted error."""

    def __init__(self, mutant=None, times=2, entries=4, claims=2, ends=0):
        self.mutant = mutant
        self.times, self.entries, self.claims, self.ends = times, entries, claims, ends
        self.ahead = 1  # how far an append moves the horizon

    @property
    def compares_less(self):
        return self.mutant in ("lease-believed", "epoch-compared-alone")

    def start(self):
        return State(Head(0, -1, 0, 0, ()), (), (NEW_NODE, NEW_NODE), frozenset(), (), 0, 0)

    # What a node may publish

    def told(self, node):
        """The entries and the time that a node publishes now; nothing if it may not."""
        if node.role != OWNER:
            return None
        applied, batch = node.applied, node.pending and node.pending.entry
        if node.pending is not None:
            if self.mutant == "publish-before-append" and batch:
                return applied + (batch,), batch.time
            if self.mutant != "timers-while-pending":
                return None
        time = node.clock if self.mutant == "no-horizon" else min(node.clock, node.horizon)
        return applied, max(time, applied[-1].time)

    def publish(self, state):
        published = dict(state.published)
        for node in state.nodes:
            if (item := self.told(node)) is not None:
                published[item[0]] = max(published.get(item[0], 0), item[1])
        return state._replace(published=tuple(sorted(published.items())))

    def forget(self, state):
        """Removes from a state that was checked what can make no difference any more.

        The index of the head only grows, and what is in the log stays: a stray request of an earlier index is never
        carried out, and what was published before an entry that is in was checked against that entry.
        """
        if self.compares_less:
            return state
        count = state.head.index
        return state._replace(
            wire=frozenset(r for r in state.wire if r.old.index >= count or state.nodes[r.node].pending == r),
            published=tuple(item for item in state.published if len(item[0]) >= count))

    # What can happen

    def steps(self, state):
        """Each thing that can happen next, in words, and the state after it."""
        for number, node in enumerate(state.nodes):
            yield from self.node_steps(state, number, node)
        for request in state.wire:
            yield from self.delivery_steps(state, request)

    def node_steps(self, state, number, node):
        def becomes(new, **changes):
            nodes = state.nodes[:number] + (new,) + state.nodes[number + 1:]
            return state._replace(nodes=nodes, **changes)

        def sends(new, entry, old, **changes):
            request = Request(number, old, new, entry)
            return becomes(node._replace(pending=request), wire=state.wire | {request}, **changes)

        frozen = node.role == OWNER and node.pending is not None and self.mutant != "timers-while-pending"
        if node.clock < self.times and not frozen:
            yield f"node {number}: its clock says {node.clock + 1}", becomes(node._replace(clock=node.clock + 1))
        if (node.role == OWNER or node.pending) and state.ends < self.ends:
            yield f"node {number}: ends; another process is started", becomes(NEW_NODE, ends=state.ends + 1)
        if node.pending is not None:
            if self.mutant == "time-out-is-a-failure" and node.role == OWNER:
                yield f"node {number}: gives its request up", becomes(node._replace(pending=None))
            return
        if node.role == STANDBY:
            if state.claims < self.claims and len(state.log) < self.entries:
                yield f"node {number}: asks to take over", sends(
                    *self.take_over(state, number, node), state.head, claims=state.claims + 1)
            return
        last = node.applied[-1].time
        head = Head(node.epoch, number, len(node.applied), node.horizon, tuple(e.content for e in node.applied))
        time = max(node.clock, last)
        if len(state.log) < self.entries:
            entry = Entry(node.epoch, number, time, "batch")
            new = Head(node.epoch, number, head.index + 1, max(node.horizon, time + self.ahead),
                       head.chain + (entry.content,))
            yield f"node {number}: appends a batch at {time}", sends(new, entry, head)
        if node.horizon < node.clock + self.ahead:
            yield f"node {number}: asks for the time until {node.clock + self.ahead}", sends(
                head._replace(horizon=node.clock + self.ahead), None, head)
        handled = last if self.mutant == "hand-over-forgets-timers" else max(last, min(node.clock, node.horizon))
        if handled < node.horizon:
            yield f"node {number}: hands over at {handled}", sends(head._replace(horizon=handled), None, head)

    def take_over(self, state, number, node):
        """The new head, and the entry of a take-over."""
        begin = max(node.clock, state.head.horizon)
        if self.mutant == "own-clock":
            begin = max(node.clock, state.log[-1].time if state.log else 0)
        epoch = state.head.epoch + 1
        new = Head(epoch, number, state.head.index + 1, begin + self.ahead, state.head.chain + ("take-over",))
        return new, Entry(epoch, number, begin, "take-over")

    def delivery_steps(self, state, request):
        """A request reaches the log, now or again."""
        number, node = request.node, state.nodes[request.node]
        what = f"node {number}'s {request.entry.content if request.entry else 'horizon'}"
        is_awaited = node.pending == request
        gone = state.wire - {request}

        def answered(new, **changes):
            nodes = state.nodes[:number] + (new,) + state.nodes[number + 1:]
            return state._replace(nodes=nodes, wire=gone, **changes)

        if not is_awaited:
            yield f"{what} is lost", state._replace(wire=gone)
        if self.fits(state, request) and len(state.log) <= self.entries:
            log = state.log
            if request.entry:
                log = log[:request.new.index - 1] + (request.entry,)
            done = {"head": request.new, "log": log}
            if is_awaited:
                after = answered(self.succeeded(state, request), **done)
                yield f"{what} is in, and it knows", after
                yield f"{what} is in, and it knows; a copy is still on its way", after._replace(wire=state.wire)
            yield f"{what} is in, without an answer", state._replace(**done)
        elif is_awaited:
            if state.head == request.new:
                yield f"{what} was in, as the head says", answered(self.succeeded(state, request))
            elif self.mutant == "refusal-is-success" and node.role == OWNER:
                yield f"{what} is refused and taken for in", answered(self.succeeded(state, request))
            else:
                yield f"{what} is refused: overtaken, it ends", answered(NEW_NODE)

    def fits(self, state, request):
        if self.mutant == "lease-believed":
            return True
        if self.mutant == "epoch-compared-alone" and state.nodes[request.node].role == OWNER:
            return state.head[:2] == request.old[:2]
        return state.head == request.old

    def succeeded(self, state, request):
        node, entry = state.nodes[request.node], request.entry
        if node.role == STANDBY:
            read = state.log[:request.new.index - 1]
            if self.mutant == "tail-not-read":
                read = read[:-1]
            return Node(OWNER, request.new.epoch, read + (entry,), max(node.clock, entry.time), request.new.horizon, None)
        if entry is None and request.new.horizon < node.horizon:
            return NEW_NODE  # handed over
        return node._replace(
            applied=node.applied + (entry,) if entry else node.applied, horizon=request.new.horizon, pending=None)


def violation(state):
    """What is wrong with a state; nothing if all is well."""
    log, owners = state.log, {}
    for before, after in zip(log, log[1:]):
        if after.time < before.time:
            return f"time goes back in the log: {before}, {after}"
        if after.epoch < before.epoch:
            return f"epochs go back in the log: {before}, {after}"
    for entry in log:
        if owners.setdefault(entry.epoch, entry.owner) != entry.owner:
            return f"two owners wrote in epoch {entry.epoch}"
    if state.head.index != len(log):
        return f"the head names entry {state.head.index}, and the log ends with {len(log)}"
    for applied, time in state.published:
        if log[:len(applied)] != applied:
            return f"published after {applied}, and the log is {log}"
        if len(log) > len(applied) and log[len(applied)].time < time:
            return f"published timers until {time} after entry {len(applied)}; the next entry is {log[len(applied)]}"
    return None


def explore(model):
    """Returns the number of states, and what was found with the shortest way to it."""
    start = model.publish(model.start())
    came, queue = {start: None}, deque([start])
    while queue:
        state = queue.popleft()
        for what, after in model.steps(state):
            after = model.publish(after)
            problem = violation(after)
            after = model.forget(after)
            if after in came and not problem:
                continue
            if problem:
                steps = [what]
                while came[state] is not None:
                    state, what = came[state]
                    steps.append(what)
                return len(came), problem, steps[::-1]
            came[after] = (state, what)
            queue.append(after)
    return len(came), None, []


def report(mutant, bounds):
    states, problem, steps = explore(Model(mutant, **bounds))
    print(f"{mutant or 'the rules'}: {states} states, {problem or 'nothing found'}", flush=True)
    return problem, steps


def main():
    parser = argparse.ArgumentParser(description="Explores every state of a small fleet over one fenced log.")
    parser.add_argument("--mutant", choices=MUTANTS, metavar="NAME")
    parser.add_argument("--all-mutants", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--times", type=int, default=2, help="how far each clock goes")
    parser.add_argument("--entries", type=int, default=4, help="the most entries before nobody begins another")
    parser.add_argument("--claims", type=int, default=2)
    parser.add_argument("--ends", type=int, default=0, help="how many processes may end by themselves")
    options = parser.parse_args()
    bounds = {"times": options.times, "entries": options.entries, "claims": options.claims, "ends": options.ends}
    if options.list:
        for name, text in MUTANTS.items():
            print(f"{name:26} {text}")
        return 0
    if options.mutant:
        problem, steps = report(options.mutant, bounds)
        for step in steps:
            print(f"    {step}")
        return 0 if problem else 1
    problem, steps = report(None, bounds)
    for step in steps:
        print(f"    {step}")
    status = 1 if problem else 0
    if options.all_mutants:
        survivors = [name for name in MUTANTS if report(name, bounds)[0] is None]
        print(f"{len(MUTANTS) - len(survivors)} of {len(MUTANTS)} planted errors found")
        for name in survivors:
            print(f"not found: {name}: {MUTANTS[name]}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
