"""The blocks of code in the documents, and in the comments of public declarations."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Block:
    """A block of code in a page, or in a source file."""

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


COMMENT = re.compile(r" *///(.*)")
# The first word of an example. Drawings and tables are indented, too, and begin otherwise.
EXAMPLE = re.compile(r"(import|let|var|try|await|for|func|struct|final|@\w+) ")


def comment_blocks():
    """Returns the indented Swift examples in the documentation comments of public declarations."""
    found = []
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        page, start, body, examples, previous = str(path.relative_to(ROOT)), 0, [], [], None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            comment = COMMENT.match(line)
            text = comment[1] if comment else ""
            # The lines of an example follow an empty one, and an empty one may be among them.
            if text.startswith("     ") and (body or previous == ""):
                start, body = (start, body) if body else (number - 1, [])
                body.append(text[5:])
            elif comment and not text and body:
                body.append("")
            elif body:
                examples.append(Block(page, "", start, "swift", "\n".join(body).rstrip() + "\n"))
                body = []
            if not comment:
                if re.match(r" *(public|open) ", line):
                    found += [example for example in examples if EXAMPLE.match(example.text)]
                examples = []
            previous = text if comment else None
    return found
