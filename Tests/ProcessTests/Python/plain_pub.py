"""plain_pub.py INGRESS EGRESS: a plain PUB, which cannot know when it is heard, sends a popup until it is shown. Sent
again it is the same popup."""

import sys

import zmq

import client

ingress, egress = sys.argv[1:]
pub = client.publisher(ingress, zmq.PUB)
sub = client.subscriber(egress, "state+json/lobby/")
for _ in range(client.SECONDS * 20):
    pub.send(b'{"show":{"id":"welcome","group":"lobby","priority":5,"durationMs":8000,"text":"Hello"}}')
    if sub.poll(50):
        break
topic, state = next(client.messages(sub))
client.tell({"topic": topic, "body": state})
pub.send(b'{"dismiss":{"id":"welcome","action":"ok"}}')
for topic, state in client.messages(sub):
    if "active" not in state:
        client.tell({"topic": topic, "body": state})
        break
client.finish()
