#!/usr/bin/env python3
"""Draws Documentation/demo.gif: the screens of `make demo`, as a terminal shows them.

Runs Scripts/demo.sh in a tmux of its own, looks at its screen several times a second, and draws what changed. Needs tmux,
Pillow (`pip install pillow`), the fonts of DejaVu and one with Japanese characters; BIN names the folder of the built programs.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
COLUMNS, ROWS = 96, 24
FONTS = Path("/usr/share/fonts/truetype/dejavu")
FONT_SIZE = 14
MARGIN = 10
BACKGROUND = (24, 26, 31)
PLAIN = (214, 218, 224)
DIM = (128, 134, 144)
BOLD = (255, 255, 255)
COLORS = {31: (240, 113, 120), 32: (152, 207, 120), 33: (232, 190, 106), 36: (104, 196, 214)}
LARGEST = 200_000  # bytes of the picture


class Terminal:
    """A tmux server of its own, with one window in which a command runs."""

    def __init__(self, command: list[str], folder: str):
        self.socket = f"{folder}/tmux"
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        environment.pop("NO_COLOR", None)
        self.run(
            "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), *command, environment=environment, before=["-f", "/dev/null"])
        self.run("set-option", "-g", "status", "off")

    def run(self, *arguments: str, environment: dict[str, str] | None = None, before: list[str] | None = None) -> str:
        return subprocess.run(
            ["tmux", "-S", self.socket, *(before or []), *arguments], check=True, capture_output=True, text=True,
            env=environment).stdout

    def screen(self) -> str | None:
        """The lines with their colors; nothing when the command has ended."""
        try:
            return self.run("capture-pane", "-p", "-e")
        except subprocess.CalledProcessError:
            return None

    def end(self) -> None:
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


def columns(character: str) -> int:
    """The columns that a character takes in a terminal."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def font_for(language: str) -> str:
    """The file of a font with the characters of a language."""
    found = subprocess.run(
        ["fc-list", f":lang={language}", "file"], check=True, capture_output=True, text=True).stdout.split(":")[0].strip()
    if not found:
        sys.exit(f"screens: there is no font for the language {language}; install fonts-noto-cjk or another one")
    return found


class Picture:
    """Draws screens."""

    def __init__(self) -> None:
        self.regular = ImageFont.truetype(str(FONTS / "DejaVuSansMono.ttf"), FONT_SIZE)
        self.bold = ImageFont.truetype(str(FONTS / "DejaVuSansMono-Bold.ttf"), FONT_SIZE)
        self.wide = ImageFont.truetype(font_for("ja"), FONT_SIZE)
        self.width = round(self.regular.getlength("M"))
        ascent, descent = self.regular.getmetrics()
        self.height = ascent + descent

    def draw(self, screen: str) -> Image.Image:
        image = Image.new(
            "RGB", (COLUMNS * self.width + 2 * MARGIN, ROWS * self.height + 2 * MARGIN), BACKGROUND)
        pen = ImageDraw.Draw(image)
        # tmux names the look of a cell only where it differs from the cell before, also from line to line.
        color, font, is_reversed = PLAIN, self.regular, False
        for row, line in enumerate(screen.split("\n")[:ROWS]):
            column, y = 0, MARGIN + row * self.height
            for part in re.split(r"(\x1b\[[0-9;]*m)", line):
                if part.startswith("\x1b["):
                    for code in (int(number or 0) for number in part[2:-1].split(";")):
                        if code in (0, 39):
                            color = PLAIN
                        if code == 0:
                            font, is_reversed = self.regular, False
                        elif code == 1:
                            color, font = BOLD, self.bold
                        elif code == 2:
                            color = DIM
                        elif code == 7:
                            is_reversed = True
                        elif code in COLORS:
                            color = COLORS[code]
                    continue
                for character in part:
                    x, size = MARGIN + column * self.width, columns(character)
                    if is_reversed:
                        pen.rectangle((x, y, x + size * self.width - 1, y + self.height - 1), fill=color)
                    pen.text(
                        (x, y), character, font=self.wide if size == 2 else font, fill=BACKGROUND if is_reversed else color)
                    column += size
        return image


def palette_of_terminal() -> Image.Image:
    """An image with the colors of the terminal, each with steps to the background for the edges of letters."""
    palette = Image.new("P", (1, 1))
    steps = [
        tuple(round(low + (high - low) * step / 6) for low, high in zip(BACKGROUND, color, strict=True))
        for color in (PLAIN, DIM, BOLD, *COLORS.values()) for step in range(1, 7)]
    colors = [BACKGROUND, *steps]
    colors += [BACKGROUND] * (256 - len(colors))
    palette.putpalette([part for color in colors for part in color])
    return palette


def record(seconds: int, interval: float) -> list[tuple[str, float]]:
    """The different screens of the demo, each with the seconds for which it stood."""
    screens: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(["env", f"DEMO_SECONDS={seconds}", f"BIN={os.environ['BIN']}", str(ROOT / "Scripts/demo.sh")], folder)
        try:
            end = time.monotonic() + seconds + 60
            while time.monotonic() < end:
                screen = terminal.screen()
                if screen is None or "What was shown" in screen:
                    break
                # Without a popup there is nothing to see.
                if "╭" in screen:
                    if screens and screens[-1][0] == screen:
                        screens[-1] = (screen, screens[-1][1] + interval)
                    else:
                        screens.append((screen, interval))
                time.sleep(interval)
        finally:
            terminal.end()
    return screens


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--output", type=Path, default=ROOT / "Documentation/demo.gif")
    arguments.add_argument("--seconds", type=int, default=20, help="how long the demo runs")
    arguments.add_argument("--interval", type=float, default=2.0, help="the seconds between two looks")
    options = arguments.parse_args()
    if "BIN" not in os.environ:
        print("screens: BIN names no folder of built programs; for example BIN=.build/debug", file=sys.stderr)
        return 64
    screens = record(options.seconds, options.interval)
    if not screens:
        print("screens: the demo showed nothing", file=sys.stderr)
        return 70
    picture = Picture()
    drawn = [picture.draw(screen) for screen, _ in screens]
    palette = palette_of_terminal()
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in drawn]
    images[0].save(
        options.output, save_all=True, append_images=images[1:], duration=[round(time * 1000) for _, time in screens],
        loop=0, optimize=True)
    size = options.output.stat().st_size
    print(f"screens: {len(images)} pictures, {size} bytes, in {options.output}")
    if size > LARGEST:
        print(f"screens: that is more than {LARGEST} bytes; use a longer --interval", file=sys.stderr)
        return 73
    return 0


if __name__ == "__main__":
    sys.exit(main())
