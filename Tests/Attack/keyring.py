"""The keys of a broker that is attacked with keys on, and of its users."""

import json
import os
import tempfile

import zmq

USERS = ("good", "hostile", "limited")
# Of the user `limited`; the others may do everything.
ROLE = "{groups: [limited/*], may: [show, update, dismiss, watch, query, control], maxPriority: 0, own: true}"
VARIABLE = "ATTACK_KEYS"


class Keyring:
    """A configuration with a key of the broker and two users, in a folder that goes with it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="attack-keys-")
        self.server, secret = zmq.curve_keypair()
        self.users = {name: zmq.curve_keypair() for name in USERS}
        file = os.open(self._path("broker.key"), os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(file, f'curve\n    public-key = "{self.server.decode()}"\n    secret-key = "{secret.decode()}"\n'.encode())
        os.close(file)
        users = "".join(
            f'    - {{name: {name}, publicKey: "{public.decode()}"{", roles: [limited]" if name == "limited" else ""}}}\n'
            for name, (public, _) in self.users.items())
        with open(self._path("popup-broker.yaml"), "w") as configuration:
            configuration.write(f'security:\n  curve: {{secretKeyFile: "{self._path("broker.key")}"}}\n  users:\n{users}  roles: {{limited: [{ROLE}]}}\n')

    def _path(self, name):
        return os.path.join(self.folder.name, name)

    @property
    def configuration(self):
        return self._path("popup-broker.yaml")

    def of(self, user):
        """Returns the keys of a user, as `secure` takes them."""
        return [key.decode() for key in (*self.users[user], self.server)]


def secure(socket, keys=None):
    """Gives a socket keys: these, or those of the environment, or none."""
    keys = keys or json.loads(os.environ.get(VARIABLE, "null"))
    if keys:
        socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = (key.encode() for key in keys)
    return socket
