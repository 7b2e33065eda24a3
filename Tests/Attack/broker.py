"""The broker under attack: a process of its own, seen from outside."""

import contextlib
import fcntl
import os
import re
import resource
import select
import signal
import subprocess
import tempfile
import time

from bounds import END_SECONDS, MIB

READY = re.compile(r"popup-broker ready ingress=tcp://127\.0\.0\.1:(\d+) egress=tcp://127\.0\.0\.1:(\d+) ")
READY_SECONDS = 60
TICKS = os.sysconf("SC_CLK_TCK")
SMALL_PIPE = 4096


class Broker:
    """A broker that was started on free ports, and is ended by its process id."""

    def __init__(self, program, settings=(), durability="memory", folder=None, descriptors=None, reads_log=True, configuration=None):
        arguments = [program, "run", "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*"]
        arguments += ["--durability", durability]
        if configuration:
            arguments += ["--config", configuration]
        if folder:
            arguments += ["--data-dir", folder]
        for setting in settings:
            arguments += ["--set", setting]
        self.log = tempfile.TemporaryFile()
        self._unread = None
        errors = self.log
        if not reads_log:
            self._unread, errors = os.pipe()
            fcntl.fcntl(errors, fcntl.F_SETPIPE_SZ, SMALL_PIPE)

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        environment = {key: value for key, value in os.environ.items() if not key.startswith("POPUP_BROKER_")}
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment,
            preexec_fn=limit if descriptors else None)
        if not reads_log:
            os.close(errors)
        self.pid = self.process.pid
        self.ingress, self.egress = self._ports()

    def _ports(self):
        readable, _, _ = select.select([self.process.stdout], [], [], READY_SECONDS)
        line = self.process.stdout.readline().decode() if readable else ""
        found = READY.match(line)
        if not found:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"the broker is not ready: {line!r} {self.last_words()}")
        return int(found[1]), int(found[2])

    def is_alive(self):
        return self.process.poll() is None

    def _status(self, key):
        try:
            with open(f"/proc/{self.pid}/status") as file:
                for line in file:
                    if line.startswith(key + ":"):
                        return int(line.split()[1]) * 1024
        except (FileNotFoundError, ProcessLookupError):
            pass
        return 0

    def memory(self):
        return self._status("VmRSS")

    def peak(self):
        return self._status("VmHWM")

    def reset_peak(self):
        try:
            with open(f"/proc/{self.pid}/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            pass  # where it is not allowed the peak is that of the whole life

    def descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except OSError:
            return 0

    def processor_seconds(self):
        try:
            with open(f"/proc/{self.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / TICKS
        except (OSError, IndexError):
            return 0.0

    def processor_waits(self):
        """Returns for how many seconds each of its threads has waited for a processor, where the system counts it."""
        waits, folder = {}, f"/proc/{self.pid}/task"
        with contextlib.suppress(OSError, IndexError):
            for thread in os.listdir(folder):
                with open(f"{folder}/{thread}/schedstat") as file:
                    waits[thread] = int(file.read().split()[1]) / 1e9
        return waits

    def log_text(self):
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), min(size, 64 * MIB), 0).decode(errors="replace")

    def last_words(self):
        """Returns what it says of its end, or else its last lines."""
        lines = self.log_text().splitlines()
        ends = [line for line in lines if "Assertion failed" in line or "Fatal error" in line or "Program crashed" in line]
        return " | ".join(ends[:2] or lines[-3:])

    def kill(self):
        self.process.kill()

    def end(self):
        """Ends it by SIGTERM. Returns its exit code: 0 when it went as it should, None when it had to be killed."""
        if self.is_alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        self.process.stdout.close()
        if self._unread is not None:
            os.close(self._unread)
            self._unread = None
        return code


def waited(condition, seconds, step=0.05):
    """Waits until a condition holds. Returns whether it did in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(step)
    return True
