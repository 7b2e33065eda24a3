"""A broker of its own for a test: real processes, real sockets, a data directory that outlives a kill."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from typing import Self, TypedDict

BINARY = os.path.join(os.environ.get("BIN", ".build/debug"), "popup-broker")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Endpoints(TypedDict):
    ingress: str
    egress: str


class Broker:
    """A running ``popup-broker`` that can be killed and started again at the same endpoints."""

    def __init__(self, configuration: str | None = None, directory: str | None = None) -> None:
        """:param configuration: the content of a configuration file.
        :param directory: a directory to use instead of a new one.
        """
        self.directory = directory or tempfile.mkdtemp(prefix="popupbroker-")
        self._configuration = configuration
        self.ingress = f"tcp://127.0.0.1:{free_port()}"
        self.egress = f"tcp://127.0.0.1:{free_port()}"
        self._process: subprocess.Popen[str] | None = None

    @property
    def endpoints(self) -> Endpoints:
        """The arguments of a client."""
        return {"ingress": self.ingress, "egress": self.egress}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.directory)

    def start(self) -> None:
        """Starts it and waits until it is ready."""
        arguments = []
        if self._configuration is not None:
            with open(f"{self.directory}/popup-broker.yaml", "w") as file:
                file.write(self._configuration)
            arguments = ["--config", f"{self.directory}/popup-broker.yaml"]
        self._process = subprocess.Popen(
            [
                BINARY,
                "run",
                *arguments,
                "--ingress",
                self.ingress,
                "--egress",
                self.egress,
                "--data-dir",
                f"{self.directory}/data",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not re.search("ready", line):
            raise RuntimeError(f"the broker did not start: {line!r}")

    def stop(self) -> None:
        """Stops it with SIGSTOP: its connections stay, and it reads nothing. :meth:`kill` ends it."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None
