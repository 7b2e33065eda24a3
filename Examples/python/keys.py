"""The keys of a client, from the environment: what the other examples need for a broker with keys."""
import os

import zmq.auth


def secured(socket):
    """Sets the keys of a socket if the environment names them. Call it before `connect`."""
    own, server = os.environ.get("POPUP_BROKER_KEY"), os.environ.get("POPUP_BROKER_SERVER_KEY")
    if own and server:
        if os.stat(own).st_mode & 0o077:
            raise PermissionError(f"others can read or write {own}, a secret key; `chmod 600 {own}` ends that")
        socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(own)
        with open(server, "rb") as file:
            socket.curve_serverkey = file.read().strip()  # as `popup-broker keys public` prints it
    return socket
