"""Certificates for TLS with client certificates, made by openssl, and a member of etcd that requires them."""
import json
import os
import subprocess

from harness import FLEET, Process, eventually, free_ports
from processes import member_of_etcd, run_etcdctl

# What each certificate may be used for: etcd is also a client of its own address.
EXTENSIONS = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], capture_output=True, check=True)


class Authority:
    """A CA, whose files are in a folder."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self.path(f"{name}.key"), "-out", self.certificate,
                "-days", "2", "-subj", f"/CN={name}")

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def certificate(self):
        return self.path(f"{self.name}.pem")

    def issue(self, name, days=2):
        """Issues a certificate for a name, which is also the user of etcd; with days=-1, one that has expired yesterday.
        Returns the files of the certificate and of its key."""
        stem = self.path(f"{self.name}-{name}-{days}")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{stem}.key", "-out", f"{stem}.csr", "-subj", f"/CN={name}")
        with open(f"{stem}.ext", "w", encoding="utf-8") as file:
            file.write(EXTENSIONS)
        openssl("x509", "-req", "-in", f"{stem}.csr", "-CA", self.certificate, "-CAkey", self.path(f"{self.name}.key"),
                "-CAcreateserial", "-out", f"{stem}.pem", "-days", str(days), "-extfile", f"{stem}.ext")
        return f"{stem}.pem", f"{stem}.key"


def credentials(authority, pair):
    """The options of popup-fleet: which CA it trusts, and its own certificate with its key."""
    return ["--ca", authority.certificate, "--certificate", pair[0], "--key", pair[1]]


class Member:
    """A single member of etcd. With a CA and a certificate it speaks TLS, and requires certificates of its clients."""

    def __init__(self, folder, *options, authority=None, pair=None):
        self.folder, self.authority, self.pair = os.path.join(folder, f"etcd-{free_ports(1)[0]}"), authority, pair
        os.mkdir(self.folder)
        self.ports = free_ports(2)
        self.process = None
        self.start(*options)

    def start(self, *options):
        """Starts it, again with the same data, and with options that come after the usual ones."""
        if self.process:
            self.process.kill()
        peer = f"http://127.0.0.1:{self.ports[1]}"
        tls = []
        if self.pair:
            tls = ["--trusted-ca-file", self.authority.certificate, "--client-cert-auth", "--cert-file", self.pair[0],
                   "--key-file", self.pair[1]]
        self.process = Process("etcd", [
            *member_of_etcd(0, self.folder, self.endpoint, peer, [peer]), *tls, *options], self.folder)

    @property
    def endpoint(self):
        return f"{'https' if self.pair else 'http'}://127.0.0.1:{self.ports[0]}"

    def control(self, *arguments, pair=None, code=0):
        """Runs etcdctl, and returns what it prints."""
        tls = ["--cacert", self.authority.certificate, "--cert", pair[0], "--key", pair[1]] if pair else []
        done = run_etcdctl(self.endpoint, *tls, *arguments)
        assert done.returncode == code, (arguments, done)
        return done.stdout + done.stderr

    def content(self, pair=None):
        """All keys of brokers with their revisions, but those that end by themselves: claims, and what nodes say of
        themselves."""
        found = json.loads(self.control("get", "--prefix", "/popup-broker/", "--write-out", "json", pair=pair))
        return {key["key"]: key["mod_revision"] for key in found.get("kvs", []) if not key.get("lease")}


def serve(member, *options):
    """Waits until etcd answers popup-fleet, which says that there is no log yet, or shows it."""
    eventually("etcd serves", lambda: subprocess.run(
        [FLEET, "status", "--endpoints", member.endpoint, *options], capture_output=True, check=False).returncode in (0, 66))
