"""acks.py INGRESS EGRESS: sends numbered commands, tells the ack that settles all, then a snapshot."""

import json
import sys

import client

PRODUCER = "00112233445566778899aabbccddeeff"

ingress, egress = sys.argv[1:]
# A pipe's subscriptions come into force in their order: with a heartbeat all of them are.
sub = client.subscriber(egress, f"acks+json/{PRODUCER}/", "heartbeat/")
pub = client.publisher(ingress)
incoming = client.messages(sub)
next(topic for topic, _ in incoming if topic == "heartbeat/")


def send(sequence, **command):
    pub.send(json.dumps({"producer": PRODUCER, "sequence": sequence, **command}).encode())


send(1, show={"id": "A", "group": "lobby"})
send(3, show={"id": "B", "group": "lobby/left"})
send(1, show={"id": "A", "group": "lobby"})
send(4, show={"id": "C", "group": "lobby2"})
send(2, dismiss={"id": "nobody"})
for topic, body in incoming:
    if topic.startswith("acks") and body.get("cumulative") == "4":
        client.tell(body)
        break

sub.subscribe(b"sync+json/me/1/lobby/")
for topic, body in incoming:
    if topic.startswith("sync"):
        client.tell(body)
        if "end" in body:
            break
client.finish()
