"""Sends every character there is as a popup's text, escaped and as it is, and compares the states that come back.

Usage: texts.py INGRESS EGRESS. Prints how many texts came back as they were sent, and the first that did not."""

import json
import sys

from client import messages, publisher, subscriber

ingress, egress = sys.argv[1:3]
characters = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
runs = ["".join(characters[i : i + 8000]) for i in range(0, len(characters), 8000)]

subscription = subscriber(egress, "state+json/texts/")
producer = publisher(ingress)
states = messages(subscription)
producer.send_json({"show": {"id": "shown", "group": "texts", "text": "begin"}})
while next(states)[1].get("active", {}).get("text") != "begin":
    pass

same = 0
for number, text in enumerate(runs):
    for ascii in (True, False):
        # The type tells the one update from the other.
        mark = f"{number}/{ascii}"
        update = {"update": {"id": "shown", "text": text, "contentType": mark}}
        producer.send(json.dumps(update, ensure_ascii=ascii).encode())
        popup = next(s["active"] for _, s in states if s["active"].get("contentType") == mark)
        if popup["text"] != text:
            place = next(i for i, c in enumerate(text) if popup["text"][i : i + 1] != c)
            sys.exit(f"U+{ord(text[place]):04X} came back as another, escaped: {ascii}")
        same += 1
print(same)
