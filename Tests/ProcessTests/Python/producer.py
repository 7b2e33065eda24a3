"""producer.py INGRESS: sends each line of the standard input as a command."""

import sys

import client

pub = client.publisher(sys.argv[1])
for line in sys.stdin:
    pub.send(line.strip().encode())
client.finish()
