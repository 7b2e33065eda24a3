"""A program that runs beside a test, and the lines that it writes."""

from __future__ import annotations

import queue
import re
import subprocess
import threading
import time
from collections.abc import Mapping

LIMIT = 20.0
"""Seconds after which a test has failed."""


class Program:
    """A running program. A thread reads its lines as they come, so that none waits in a buffer that nobody looks at."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def line(self, pattern: str) -> str:
        """Returns the next line that matches, and passes over those before it."""
        end = time.monotonic() + LIMIT
        try:
            while (line := self._lines.get(timeout=max(0, end - time.monotonic()))) is not None:
                if re.search(pattern, line):
                    return line
        except queue.Empty:
            raise AssertionError(f"no line that matches {pattern!r} within {LIMIT} s") from None
        raise AssertionError(f"the program ended without a line that matches {pattern!r}")

    def is_running(self) -> bool:
        return self._process.poll() is None

    def status(self) -> int:
        """Waits for its end and returns its status."""
        return self._process.wait(LIMIT)

    def kill(self) -> None:
        """Ends it with SIGKILL."""
        self._process.kill()
        self._process.wait()
        self._reader.join(LIMIT)
        assert self._process.stdout is not None
        self._process.stdout.close()
