"""The command ``popup-desktop`` on a session bus."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal

from dbus_fast.aio import MessageBus

from ..aio import Admin, Renderer
from ._bridge import Bridge, Settings
from ._display import Display


async def run(arguments: argparse.Namespace) -> None:
    """Runs the command until a signal ends it."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    bus = await MessageBus().connect()
    with contextlib.suppress(asyncio.CancelledError):
        if arguments.command == "show":
            async with Renderer(
                ingress=arguments.ingress, egress=arguments.egress, name=arguments.name, reports=False
            ) as renderer:
                await Display(renderer).run(bus, arguments.groups)
        else:
            settings = Settings(arguments.group, arguments.priorities, arguments.timeout_ms)
            async with Admin(ingress=arguments.ingress, egress=arguments.egress, timeout=None) as admin:
                await Bridge(admin, settings).serve(
                    bus, replaces=arguments.replace, ready=lambda: print("popup-desktop ready", flush=True)
                )
    bus.disconnect()
