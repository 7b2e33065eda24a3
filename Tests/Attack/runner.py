"""Runs attacks one after the other: a broker, a good client, the attack in a process of its own, and what is to be
said of them."""

import json
import os
import random
import select
import shutil
import signal
import tempfile
import time
import traceback
from dataclasses import dataclass, field

from bounds import CEILING, JOURNAL_FILES, LINES_A_SECOND, LINES_BESIDES, MIB, MOST_MEMORY, TIMES_QUIET
from broker import Broker, waited
from keyring import USERS, Keyring
from measured import Latency, MeasuredClient, between
from stage import Stage
from turns import Turns, Waits

SAMPLE_SECONDS = 0.05
TURNS_SECONDS = 30  # within which a broker tells of its turns
UNDER_WAY = 1  # states that a client at ten a second may wait for at any time
TRIES = 3  # of an attack without effect in short mode: its time is short, and its process may not run in it
NICE = 10  # the attackers are on other machines in life; here they don't take the good client's processor


@dataclass
class Outcome:
    """What one attack gave: numbers, and everything that was not as it should be."""

    attack: object
    failures: list = field(default_factory=list)
    notes: dict = field(default_factory=dict)
    quiet: Latency = Latency.of([])
    during: Latency = Latency.of([])
    after: Latency = Latency.of([])
    memory: tuple = (0, 0, 0)  # before, at most, after: bytes
    descriptors: tuple = (0, 0)  # before, after
    turns: Turns = Turns()  # of the broker's loop since the attack before
    waited: float = 0  # seconds that one of the broker's threads waited for a processor within the longest turn, at most
    log_lines: int = 0
    log_seconds: float = 0  # within which these lines came
    processor_seconds: float = 0
    seconds: float = 0
    exit_code: object = None
    times: tuple = (0, 0, 0)  # the attack's beginning and end, and the end of the time after

    @property
    def had_no_effect(self):
        """Whether nothing went wrong but that the attack itself did too little: it did not get a processor in its time."""
        return bool(self.failures) and all(failure.startswith("the attack had no effect") for failure in self.failures)


class Ring:
    """A broker with the good client beside it, for one attack or for several."""

    def __init__(self, program, mode, flooder, seed, first):
        self.mode, self.flooder, self.seed = mode, flooder, seed
        self.folder = None
        if first.durability != "memory":
            self.folder = tempfile.mkdtemp(prefix="attack-", dir=os.path.dirname(flooder))
        self.keyring = Keyring() if first.keys else None
        self.broker = Broker(
            program, first.settings, first.durability, self.folder, first.descriptors or None, first.reads_log,
            self.keyring and self.keyring.configuration)
        try:
            self.client = MeasuredClient(self.broker, self.keyring and self.keyring.of("good"))
        except BaseException:
            self.broker.kill()
            raise
        self.outcomes = []
        self.turns, self.waits = Turns(), Waits(self.broker)
        start = time.monotonic()
        self._wait(lambda: False, mode.quiet)
        self.quiet_span = (start, time.monotonic())

    def run(self, attack):
        """Runs an attack. Returns whether the broker is still good for another."""
        broker, outcome = self.broker, Outcome(attack)
        self.outcomes.append(outcome)
        lines = broker.log_text().count("\n")
        processor, before, descriptors = broker.processor_seconds(), broker.memory(), broker.descriptors()
        broker.reset_peak()
        start = time.monotonic()
        self._watch(attack, outcome)
        self._wait(lambda: not broker.is_alive(), max(0, start + self.mode.during - time.monotonic()))
        end = time.monotonic()
        settling = max(attack.settling, self.mode.settling)
        self._wait(lambda: not broker.is_alive(), self.mode.after)
        later = time.monotonic()
        is_heard = self._wait(lambda: self.client.pending() <= UNDER_WAY or not broker.is_alive(), settling)
        files = self._settled(broker.descriptors, descriptors + more_files(attack), settling)
        kept = self._settled(broker.memory, before + kept_bytes(attack), max(0, settling - (time.monotonic() - end)))
        outcome.times = (start, end, later)
        outcome.memory = (before, max(outcome.memory[1], broker.peak()), kept)
        outcome.descriptors = (descriptors, files)
        outcome.log_lines = broker.log_text().count("\n") - lines
        outcome.processor_seconds = max(0, broker.processor_seconds() - processor)
        outcome.log_seconds = time.monotonic() - start
        outcome.seconds = end - start
        if broker.is_alive() and not outcome.failures:
            self._look_at_turns(attack, outcome)
        is_small = outcome.memory[2] <= before + kept_bytes(attack)
        return broker.is_alive() and is_heard and is_small and not outcome.failures

    def _wait(self, condition, seconds):
        """Waits until a condition holds, and looks at the machine meanwhile. Returns whether it did in time."""
        def holds():
            self.waits.look()
            return condition()

        return waited(holds, seconds)

    def _settled(self, reading, most, seconds):
        """Waits until a reading is at most `most`. Returns the last one: a later one may be of other work, such as that for
        the journal's next file."""
        last = reading()

        def is_settled():
            nonlocal last
            last = reading()
            return last <= most or not self.broker.is_alive()

        self._wait(is_settled, seconds)
        return last

    def _look_at_turns(self, attack, outcome):
        """Notes the turns of the broker's loop since the attack before."""
        try:
            now = Turns.of(self._stage(attack).stats(TURNS_SECONDS))
        except RuntimeError as error:
            outcome.failures.append(str(error))
            return
        outcome.turns, self.turns = now.since(self.turns), now
        outcome.waited = self.waits.take(outcome.turns.longest)

    def _stage(self, attack):
        return Stage(
            ingress=self.broker.ingress, egress=self.broker.egress, pid=self.broker.pid, is_long=self.mode.is_long,
            seconds=attack.durations[self.mode.is_long] or self.mode.during, flooder=self.flooder, folder=self.folder,
            log_file=self.broker.log.fileno(), random=random.Random(f"{self.seed} {attack.name}"),
            keys={user: self.keyring.of(user) for user in USERS} if self.keyring else {})

    def _watch(self, attack, outcome):
        """Runs an attack in a process of its own and looks at the broker's memory meanwhile."""
        limit = attack.limit if self.mode.is_long else min(attack.limit, self.mode.limit)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self._attack(attack, writing)
        os.close(writing)
        end, parts = time.monotonic() + limit, []
        while True:
            readable, _, _ = select.select([reading], [], [], SAMPLE_SECONDS)
            if readable:
                part = os.read(reading, 65536)
                if not part:
                    break
                parts.append(part)
            self.waits.look()
            memory = self.broker.memory()
            outcome.memory = (0, max(outcome.memory[1], memory), 0)
            if memory > CEILING and self.broker.is_alive():
                outcome.failures.append(f"takes more than {CEILING // MIB} MiB and was ended for it")
                self.broker.kill()
            if time.monotonic() > end:
                outcome.failures.append(f"the attack was not over after {limit} s")
                break
        try:
            os.killpg(child, signal.SIGKILL)  # with all that it started
        except ProcessLookupError:
            pass
        os.waitpid(child, 0)
        os.close(reading)
        if parts:
            said = json.loads(b"".join(parts))
            outcome.failures += said["failures"]
            outcome.notes = said["notes"]

    def _attack(self, attack, writing):
        os.setpgid(0, 0)
        os.nice(NICE)
        stage = self._stage(attack)
        try:
            attack.run(stage)
        except BaseException as error:  # noqa: BLE001 (all that goes wrong is told)
            place = traceback.extract_tb(error.__traceback__)[-1]
            stage.failures.append(f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})")
        os.write(writing, json.dumps({"failures": stage.failures, "notes": stage.notes}).encode())
        os._exit(0)

    def end(self):
        """Ends the broker and judges every attack that it saw."""
        was_alive = self.broker.is_alive()
        shows = self.client.finish(self.mode.settling if was_alive else 0)
        code = self.broker.end()
        quiet = Latency.of(between(shows, *self.quiet_span))
        for outcome in self.outcomes:
            start, end, later = outcome.times
            outcome.quiet = quiet
            spans = {"during": between(shows, start, end), "after": between(shows, end, later)}
            outcome.during, outcome.after = Latency.of(spans["during"]), Latency.of(spans["after"])
            is_last = outcome is self.outcomes[-1]
            self._judge(outcome, spans, was_alive or not is_last, code if is_last else 0)
        log = os.path.join(os.path.dirname(self.flooder), f"{self.outcomes[-1].attack.name}.log")
        if any(outcome.failures for outcome in self.outcomes):
            with open(log, "w") as file:
                file.write(self.broker.log_text())
        elif os.path.exists(log):
            os.remove(log)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _judge(self, outcome, shows, was_alive, code):
        attack, mode, failures = outcome.attack, self.mode, outcome.failures
        outcome.exit_code = code
        if not was_alive:
            failures.append(f"the broker ended by itself ({ended(code)}): {self.broker.last_words()}")
            return
        if code not in attack.exit_codes and code != 0:
            failures.append("SIGTERM: " + ended(code))
        if attack.judges_client:
            for name, latency in (("during", outcome.during), ("after", outcome.after)):
                # How late the client itself was woken is the machine's doing, and holds up the broker, too.
                floor = mode.fair_floor if attack.is_fairness else mode.floor
                bound = max(TIMES_QUIET * outcome.quiet.p99, floor, attack.holdup) + latency.own_delay
                if not mode.is_long:
                    # So is, beside other work, how long the broker waited for a processor.
                    bound += outcome.waited
                if attack.may_refuse and latency.lost:
                    latency = Latency.of([show for show in shows[name] if show[2] is not None])
                if latency.lost:
                    failures.append(f"{latency.lost} of {latency.shows} states are lost {name}")
                if latency.unsettled:
                    failures.append(f"{latency.unsettled} of {latency.shows} acks never came {name}")
                if latency.p99 > bound:
                    failures.append(f"p99 {name} is {latency.p99 * 1e3:.0f} ms, over {bound * 1e3:.0f} ms")
        # A turn that waits for a processor takes longer, too.
        bound = attack.longest_turn * mode.turns + outcome.waited
        if outcome.turns.longest > bound:
            failures.append(f"a turn of the loop takes {outcome.turns.longest * 1e3:.0f} ms, over {bound * 1e3:.0f} ms")
        before, most, after = outcome.memory
        if most > attack.most:
            failures.append(f"takes {most // MIB} MiB, over {attack.most // MIB} MiB")
        if attack.kept and after > before + attack.kept:
            failures.append(f"{(after - before) // MIB} MiB stay, over {attack.kept // MIB} MiB")
        if outcome.descriptors[1] > outcome.descriptors[0] + more_files(attack):
            failures.append("descriptors: {} before, {} after".format(*outcome.descriptors))
        most_lines = LINES_A_SECOND * outcome.log_seconds + LINES_BESIDES
        if outcome.log_lines > most_lines:
            failures.append(f"{outcome.log_lines} lines of log, over {most_lines:.0f}")


def more_files(attack):
    return 0 if attack.durability == "memory" else JOURNAL_FILES


def kept_bytes(attack):
    return attack.kept or MOST_MEMORY


def ended(code):
    if code is None:
        return "it had to be killed"
    return f"signal {-code}" if code < 0 else f"exit {code}"


def run_all(attacks, mode, program, flooder, seed, report):
    """Runs all, each on a broker of its own or, in short mode, those of a family on one. Reports each outcome."""
    outcomes, ring = [], None

    def close():
        nonlocal ring
        if ring:
            ring.end()
            for outcome in ring.outcomes:
                report(outcome)
            outcomes.extend(ring.outcomes)
        ring = None

    family = None
    for attack in attacks:
        is_alone = attack.needs_own_broker or not mode.is_shared
        if ring and (is_alone or attack.family != family):
            close()
        family = attack.family
        try:
            ring = ring or Ring(program, mode, flooder, seed, attack)
        except RuntimeError as error:
            outcomes.append(Outcome(attack, failures=[str(error)]))
            report(outcomes[-1])
            continue
        is_good = ring.run(attack)
        for _ in range(1, TRIES if mode.is_shared else 1):
            if not ring.broker.is_alive() or not ring.outcomes[-1].had_no_effect:
                break
            ring.outcomes.pop()
            is_good = ring.run(attack)
        if not is_good or is_alone:
            close()
    close()
    return outcomes
