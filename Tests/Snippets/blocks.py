"""The blocks of code in the documents."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Block:
    """A block of code in a page."""

    page: str
    chapter: str
    line: int
    language: str
    text: str

    @property
    def first(self):
        """The first line, which names the block in a page."""
        return self.text.split("\n", 1)[0]

    @property
    def key(self):
        return self.page, self.first

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks():
    """Returns the blocks of the README and of the pages of Documentation, in their order."""
    found = []
    for path in [ROOT / "README.md", *sorted((ROOT / "Documentation").glob("*.md"))]:
        chapter, language, start, body = "", None, 0, []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if language is not None:
                if line == "```":
                    found.append(Block(path.name, chapter, start, language, "\n".join(body) + "\n"))
                    language = None
                else:
                    body.append(line)
            elif heading := re.match(r"## (.*)", line):
                chapter = heading[1]
            elif fence := re.match(r" *```(.*)", line):
                language, start, body = fence[1], number, []
        if language is not None:
            raise SystemExit(f"snippets: {path.name}:{start}: the block of code has no end")
    return found
