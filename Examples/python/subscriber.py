#!/usr/bin/env python3
"""Prints what a group and those below it show, with nothing but pyzmq:  subscriber.py GROUP [ACTION]

With ACTION it answers each popup with it, as a person would.
"""
import json
import os
import sys

import zmq

from keys import secured

if len(sys.argv) < 2:
    sys.exit(__doc__)
group, action = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None

context = zmq.Context()
subscriber = context.socket(zmq.SUB)
secured(subscriber).connect(os.environ.get("POPUP_BROKER_EGRESS", "tcp://127.0.0.1:5571"))
# A topic ends in "/": "state+json/lobby/" is never "lobby2". The broker sends what is on screen to a new subscriber.
subscriber.subscribe(f"state+json/{group}/")
answers = context.socket(zmq.XPUB)
secured(answers).connect(os.environ.get("POPUP_BROKER_INGRESS", "tcp://127.0.0.1:5570"))
answers.recv()  # the broker's subscription: from now on it receives

seen = {}
answered = {}
while True:
    topic, body = subscriber.recv_multipart()
    state = json.loads(body)
    version = int(state.get("epoch", 0)), int(state.get("revision", 0))
    if version <= seen.get(state["group"], (-1, -1)):
        continue  # repeated or outdated
    seen[state["group"]] = version
    popup = state.get("active")
    print(state["group"], popup["id"] + ": " + popup.get("text", "") if popup else "nothing", flush=True)
    shown = popup and (popup["id"], popup["sinceRevision"])
    # The state of a popup changes while it is shown (others come to wait): it is answered once.
    if popup and action and shown != answered.get(state["group"]):
        answered[state["group"]] = shown
        answers.send_json({"dismiss": {"id": popup["id"], "action": action, "revision": popup["sinceRevision"]}})
