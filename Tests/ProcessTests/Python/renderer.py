"""renderer.py INGRESS EGRESS GROUP COUNT: answers what the group shows with its first action, so many times."""

import json
import sys

import client

ingress, egress, group, count = sys.argv[1:]
pub = client.publisher(ingress)
sub = client.subscriber(egress, f"state+json/{group}/")
seen = (0, 0)
answered = 0
for _, state in client.messages(sub):
    version = (int(state["epoch"]), int(state["revision"]))
    if version <= seen:
        continue
    seen = version
    popup = state.get("active")
    if popup is None:
        continue
    action = popup["actions"][0]["id"]
    answer = {"id": popup["id"], "action": action, "revision": popup["sinceRevision"], "client": "renderer-py"}
    pub.send(json.dumps({"dismiss": answer}).encode())
    client.tell(popup)
    answered += 1
    if answered == int(count):
        break
client.finish()
