"""renderer.py INGRESS EGRESS GROUP COUNT: answers each popup that the group shows with its first action, COUNT in all."""

import json
import sys

import client

ingress, egress, group, count = sys.argv[1:]
pub = client.publisher(ingress)
sub = client.subscriber(egress, f"state+json/{group}/")
seen = (0, 0)
answered = 0
last = None
for _, state in client.messages(sub):
    version = (int(state["epoch"]), int(state["revision"]))
    if version <= seen:
        continue
    seen = version
    popup = state.get("active")
    if popup is None:
        continue
    # A state also changes when others come to wait: what was answered already is not answered again.
    if (popup["id"], popup["sinceRevision"]) == last:
        continue
    last = (popup["id"], popup["sinceRevision"])
    action = popup["actions"][0]["id"]
    answer = {"id": popup["id"], "action": action, "revision": popup["sinceRevision"], "client": "renderer-py"}
    pub.send(json.dumps({"dismiss": answer}).encode())
    client.tell(popup)
    answered += 1
    if answered == int(count):
        break
client.finish()
