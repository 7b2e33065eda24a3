"""Holds a thread of a process that this one has started, as if it hung, while the other threads go on. For Linux only."""
import ctypes
import os

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # also for threads
POLL = "7"  # the system call in which a thread waits for ZeroMQ

library = ctypes.CDLL(None, use_errno=True)
library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def threads_in_poll(process):
    """The threads of a process that wait in `poll`."""
    found = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/syscall", encoding="ascii") as file:
            if file.read().split()[0] == POLL:
                found.append(int(thread))
    return found


class HeldThread:
    """A thread that is held. Each call has to come from the same thread of the test."""

    def __init__(self, thread):
        self.thread, self.is_held = thread, True
        trace(SEIZE, thread)
        trace(INTERRUPT, thread)
        os.waitpid(thread, WALL)

    def has_ended(self):
        """Whether it has ended with its process, whose end nobody can wait for before that."""
        if self.is_held and os.waitpid(self.thread, WALL | os.WNOHANG)[0]:
            self.is_held = False
        return not self.is_held

    def let_go(self):
        if not self.has_ended():
            trace(DETACH, self.thread)
            self.is_held = False


def trace(request, thread):
    if library.ptrace(request, thread, None, None) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}: {os.strerror(ctypes.get_errno())}")
