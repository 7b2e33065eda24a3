"""The command ``popup-desktop``."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

from .. import __version__

UNAVAILABLE = 69
"""The exit code of ``EX_UNAVAILABLE`` in sysexits(3)."""


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="popup-desktop", description="Popups and the notifications of a desktop.")
    parser.add_argument("--version", action="version", version=f"popup-desktop {__version__}")
    parser.add_argument("--ingress", help="where commands go (default: $POPUP_BROKER_INGRESS, or the standard port)")
    parser.add_argument("--egress", help="where states come from (default: $POPUP_BROKER_EGRESS, or the standard port)")
    commands = parser.add_subparsers(dest="command", required=True)
    bridge = commands.add_parser("bridge", help="be the notification service: each notification becomes a popup")
    bridge.add_argument("--group", default="desktop", help="the popups' group; {app}: the program (default: desktop)")
    bridge.add_argument(
        "--priorities",
        type=_priorities,
        default="0,5,9",
        help="priorities of low, normal, critical urgency (default: 0,5,9)",
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
        # What needs dbus-fast, which `pip install popupbroker` does not install.
        from ._session import run
    except ModuleNotFoundError as error:
        if error.name != "dbus_fast":
            raise
        print("popup-desktop: dbus-fast is missing; `pip install 'dbus-fast>=4'` installs it", file=sys.stderr)
        sys.exit(UNAVAILABLE)
    try:
        asyncio.run(run(arguments))
    except (RuntimeError, OSError, ValueError) as error:
        print(f"popup-desktop: {error}", file=sys.stderr)
        sys.exit(UNAVAILABLE)


def _priorities(text: str) -> tuple[int, int, int]:
    try:
        low, normal, critical = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError("needs three numbers, such as 0,5,9") from None
    return low, normal, critical


if __name__ == "__main__":
    main()
