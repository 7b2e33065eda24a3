"""A raw client of ZMTP 3.0 and 3.1 (https://rfc.zeromq.org/spec/23/, /37/) with the NULL mechanism over a plain socket.

It sends what a library would not: half a handshake, frames that announce more than they have, messages without an end,
withdrawals of what was never subscribed."""

import socket
import struct
import time

MORE, LONG, COMMAND = 1, 2, 4
PATIENCE = 5.0


class Cut(Exception):
    """The other side ended the connection."""


def greeting(minor=0):
    mechanism = b"NULL".ljust(20, b"\0")
    return b"\xff" + bytes(8) + b"\x7f" + bytes([3, minor]) + mechanism + b"\0" + bytes(31)


def frame(body, flags=0):
    if len(body) < 256:
        return bytes([flags, len(body)]) + body
    return bytes([flags | LONG]) + struct.pack(">Q", len(body)) + body


def command(name, body=b""):
    return frame(bytes([len(name)]) + name + body, COMMAND)


def ready(kind):
    return command(b"READY", bytes([11]) + b"Socket-Type" + struct.pack(">I", len(kind)) + kind)


def subscription(prefix):
    return frame(b"\x01" + prefix)


def withdrawal(prefix):
    return frame(b"\x00" + prefix)


def subscribe_command(prefix):
    return command(b"SUBSCRIBE", prefix)


def cancel_command(prefix):
    return command(b"CANCEL", prefix)


PONG = command(b"PONG")


def plain(port, receive_buffer=None, address=None):
    """Returns a TCP connection without any word on it."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    if address:
        connection.bind((address, 0))
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", port))
    return connection


class Peer:
    """A connection that has shaken hands: `kind` is the type of socket that it says it is."""

    def __init__(self, port, kind, minor=0, receive_buffer=None):
        self.connection = plain(port, receive_buffer)
        self._bytes = b""
        self._place = 0  # where the next `push` goes on
        self.connection.sendall(greeting(minor))
        self._take(64)
        self.connection.sendall(ready(kind))
        flags, body = self.receive()
        if not flags & COMMAND or not body.startswith(b"\x05READY"):
            raise Cut(f"no READY but {body[:40]!r}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    def _take(self, count):
        while len(self._bytes) < count:
            try:
                more = self.connection.recv(65536)
            except (ConnectionError, socket.timeout) as error:
                raise Cut(str(error)) from error
            if not more:
                raise Cut("ended")
            self._bytes += more
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken

    def receive(self):
        """Returns the flags and the body of the next frame."""
        flags = self._take(1)[0]
        size = struct.unpack(">Q", self._take(8))[0] if flags & LONG else self._take(1)[0]
        return flags, self._take(size)

    def send(self, data):
        """Sends all of it, or raises `Cut` when the other side ended or takes no more."""
        try:
            self.connection.sendall(data)
        except (ConnectionError, socket.timeout) as error:
            raise Cut(str(error)) from error

    def push(self, data, seconds, most):
        """Sends the same bytes again and again, until the time is over, so much was sent or the connection is cut;
        the next call goes on where this one ended. Returns how many bytes went out, and whether it was cut."""
        end, sent, view = time.monotonic() + seconds, 0, memoryview(data)
        self.connection.settimeout(0.1)
        while time.monotonic() < end and sent < most:
            try:
                count = self.connection.send(view[self._place:])
            except socket.timeout:
                continue
            except ConnectionError:
                return sent, True
            sent += count
            self._place = (self._place + count) % len(view)
        return sent, self.is_over()

    def is_over(self, seconds=0.1):
        """Reads what has come, and waits so long for more. Returns whether the other side ended the connection."""
        self.connection.settimeout(seconds)
        try:
            while self.connection.recv(65536):
                pass
            return True
        except (socket.timeout, BlockingIOError):
            return False
        except ConnectionError:
            return True
