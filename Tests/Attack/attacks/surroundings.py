"""What is around the broker is taken from it: the reader of its log, its data directory."""

import contextlib
import json
import os
import shutil
import time
import uuid

from broker import waited
from protobuf import NEXT, show
from stage import Console, attack


@attack("log-unread", reads_log=False, durations=(3, 15))
def log_unread(stage):
    """A standard error that nobody reads, and refusals that are told there."""
    with stage.counting(refused=100):
        stage.flood([show("r" + NEXT, "no group!", text="refused"), b"junk"])
    with Console(stage) as console:
        console.ask({"stats": {}})


def acks(stage, subscriber, producer, seconds, until):
    """Returns the greatest `cumulative` that came, and the reasons of refusals, until so many are settled or refused."""
    end, cumulative, reasons = time.monotonic() + seconds, 0, {}
    while time.monotonic() < end and cumulative + len(reasons) < until:
        if subscriber.poll(100):
            ack = json.loads(subscriber.recv_multipart()[1])
            cumulative = max(cumulative, int(ack.get("cumulative", 0)))
            for refusal in ack.get("refusals", []):
                reasons[refusal["sequence"]] = refusal["reason"]
    return cumulative, reasons


@attack("folder-removed", durability="full", judges_client=False, exit_codes=(0, 74), kept=0, durations=(3, 10))
def folder_removed(stage):
    """The data directory is removed under the broker: from then on nothing is acknowledged, and it says why."""
    producer = uuid.uuid4().hex
    with Console(stage) as console:
        console.subscriber.subscribe(f"acks+json/{producer}/")

        def send(first, count):
            for sequence in range(first, first + count):
                console.tell(producer=producer, sequence=str(sequence), show={
                    "id": f"{producer}-{sequence}", "group": "folder", "collapseKey": "k", "durationMs": 1000})

        console.ask({"stats": {}})
        while console.subscriber.poll(0):
            console.subscriber.recv_multipart()
        send(1, 20)
        before, _ = acks(stage, console.subscriber, producer, 30, 20)
        stage.expect(before == 20, f"{before} of 20 are acknowledged while the folder is there")
        shutil.rmtree(stage.folder)
        stage.expect(not os.path.exists(stage.folder), "the folder is still there")
        critical = stage.log().count(" critical ")
        send(21, 50)
        after, reasons = acks(stage, console.subscriber, producer, stage.seconds, 70)
        stage.notes.update({"acknowledged after": after - before, "refused after": sorted(set(reasons.values()))})
        stage.expect(after == before, f"{after - before} commands are acknowledged though the folder is gone")
        is_told = waited(lambda: stage.log().count(" critical ") > critical, 10)
        stage.expect(is_told, "no critical line in the log says that the folder is gone")


SEGMENT = 4 << 20


@attack("refused-on-disk", durability="full", durations=(1, 10), settings=(f"journal.segmentBytes={SEGMENT}",))
def refused_on_disk(stage):
    """Refused commands by the hundred thousand: the data directory has the size that its sizing says, whatever comes."""
    with stage.counting(refused=100):
        sent = stage.flood([
            json.dumps({"dismiss": {"id": "nobody" + NEXT}}), json.dumps({"update": {"id": "nobody" + NEXT, "text": "x" * 100}}),
            show("r", "refused/a", text="an id that is there"),
        ])
    size = folder_bytes(stage.folder)
    stage.notes.update({"bytes": size, "bytes a command": round(size / max(1, sent), 1)})
    # Operation.md: nine segments under a load without pauses, and two snapshots, which are small here.
    bound = 10 * SEGMENT
    stage.expect(size <= bound, f"the folder has {size >> 20} MiB after {sent} commands, over {bound >> 20} MiB")


def folder_bytes(folder):
    """Returns the size of a folder's files, of which some may be removed meanwhile."""
    size = 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            size += os.path.getsize(os.path.join(folder, name))
    return size
