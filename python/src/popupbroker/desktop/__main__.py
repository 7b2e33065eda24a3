"""The command ``popup-desktop``."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import signal
import sys

from dbus_fast.aio import MessageBus

from ..aio import Admin, Renderer
from ._bridge import Bridge, Settings
from ._display import Display

UNAVAILABLE = 69
"""The exit code of ``EX_UNAVAILABLE`` in sysexits(3)."""


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="popup-desktop", description="Popups and the notifications of a desktop.")
    parser.add_argument("--ingress", help="where commands go (default: $POPUP_BROKER_INGRESS, or the standard port)")
    parser.add_argument("--egress", help="where states come from (default: $POPUP_BROKER_EGRESS, or the standard port)")
    commands = parser.add_subparsers(dest="command", required=True)
    bridge = commands.add_parser("bridge", help="be the notification service: each notification becomes a popup")
    bridge.add_argument("--group", default="desktop", help="the popups' group; {app}: the program (default: desktop)")
    bridge.add_argument(
        "--priorities", default="0,5,9", help="priorities of low, normal, critical urgency (default: 0,5,9)"
    )
    bridge.add_argument(
        "--timeout-ms", type=int, default=8000, help="display time of those that set none (default: 8000)"
    )
    bridge.add_argument("--replace", action="store_true", help="take the place of the present notification service")
    show = commands.add_parser("show", help="show popups through the notification service of the session")
    show.add_argument("groups", nargs="+", help="groups, patterns such as desk/*, or *")
    show.add_argument("--name", help="the renderer's name; give each screen one that stays the same")
    arguments = parser.parse_args()
    logging.basicConfig(format="popup-desktop: %(message)s")
    try:
        asyncio.run(_run(arguments, parser))
    except (RuntimeError, OSError, ValueError) as error:
        print(f"popup-desktop: {error}", file=sys.stderr)
        sys.exit(UNAVAILABLE)


async def _run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    bus = await MessageBus().connect()
    with contextlib.suppress(asyncio.CancelledError):
        if arguments.command == "show":
            async with Renderer(ingress=arguments.ingress, egress=arguments.egress, name=arguments.name) as renderer:
                await Display(renderer).run(bus, arguments.groups)
        else:
            try:
                low, normal, critical = (int(part) for part in arguments.priorities.split(","))
            except ValueError:
                parser.error("--priorities needs three numbers, such as 0,5,9")
            settings = Settings(arguments.group, (low, normal, critical), arguments.timeout_ms)
            async with Admin(ingress=arguments.ingress, egress=arguments.egress, timeout=None) as admin:
                await Bridge(admin, settings).serve(
                    bus, replaces=arguments.replace, ready=lambda: print("popup-desktop ready", flush=True)
                )
    bus.disconnect()


if __name__ == "__main__":
    main()
