"""subscriber.py EGRESS COUNT TOPIC...: tells when it is subscribed, then so many messages."""

import sys

import client

endpoint, count, *topics = sys.argv[1:]
# A pipe's subscriptions come into force in their order: with a heartbeat all of them are.
sub = client.subscriber(endpoint, *topics, "heartbeat/")
left = int(count)
ready = False
seen = {}
for topic, body in client.messages(sub):
    if topic == "heartbeat/":
        if not ready:
            client.tell({"topic": "ready"})
        ready = True
        continue
    if topic.startswith("state"):
        # One that is not newer is a repetition, which the broker may send at any time.
        version = (int(body["epoch"]), int(body["revision"]))
        if version <= seen.get(topic, (0, 0)):
            continue
        seen[topic] = version
    client.tell({"topic": topic, "body": body})
    left -= 1
    if left == 0:
        break
