"""What a broker tells of itself."""

import json
import time

from .failure import Failure

PATIENCE = 20  # seconds


def stats(server):
    """The answer to the query `stats` of a server that runs."""
    import zmq

    ingress, egress = server.endpoints
    topic = b"replies+json/bench/1/"
    question = json.dumps({"query": {"client": "bench", "nonce": "1", "stats": {}}})
    with zmq.Context() as context, context.socket(zmq.SUB) as replies, context.socket(zmq.PUB) as commands:
        commands.setsockopt(zmq.LINGER, 0)
        replies.setsockopt(zmq.RCVTIMEO, 100)
        replies.subscribe(topic)
        replies.connect(egress)
        commands.connect(ingress)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            # It may come before the connection, and the answer before the subscription.
            commands.send_string(question)
            try:
                return json.loads(replies.recv_multipart()[1])["reply"]["stats"]
            except zmq.Again:
                continue
    raise Failure("the broker does not answer a query for its statistics")
