#!/usr/bin/env python3
"""Writes the files of Gateway/web into the gateway's code. `--check` compares them instead.

The modules of <popup-screen> become one module, `popup.js`, and those of the dashboard another: their imports and exports,
their comments, their indentation and some of their ends of lines are left out, and so are spaces of styles and of
openapi.json that say nothing. Nothing else is changed.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "Gateway"
TARGET = ROOT / "Sources/PopupGateway/Generated/WebFiles.swift"
# Each script, and the modules that it consists of.
SCRIPTS = {
    "popup.js": ["stream.js", "modals.js", "box.js", "styles.js", "screen.js"],
    "overlay.js": ["overlay.js"],
    "dashboard.js": ["stream.js", "rows.js", "detail.js", "trial.js", "dashboard.js"],
}
TEXTS = ["overlay.html", "overlay.css", "dashboard.html", "dashboard.css"]


def text(name):
    return (ROOT / "web" / name).read_text(encoding="utf-8")


def style(content):
    """Returns a style sheet on one line, without comments and without the spaces around its signs."""
    content = re.sub(r"/\*.*?\*/", "", content, flags=re.DOTALL)
    # Within a text or a value of several lines, they would say something.
    assert not re.search(r"\"[^\"\n]*[{};:,][^\"\n]*\"|[^{};,`\s]\n\s*[^}`\s]", content.strip()), "style() cannot compact this"
    content = re.sub(r" *([{};,]) *|(:) +", r"\1\2", content)
    return re.sub(r"\s*\n\s*", "", content).replace(";}", "}")


def script(*names):
    """Returns the modules as one."""
    lines = []
    for name in names:
        body = re.sub(r"^\s*/\*\*.*?\*/\n", "", text(name), flags=re.MULTILINE | re.DOTALL)
        if name == "styles.js":
            body = re.sub(r"`[^`]*`", lambda sheet: style(sheet.group()), body)
        for line in body.splitlines():
            line = line.strip()
            if line and not line.startswith("//") and not re.match(r"import .* from \"\./", line):
                lines.append(re.sub(r"^export ", "", line))
    # A statement or a list that goes on needs no line for each part. No text of several lines has such an end but styles.
    return re.sub(r"(?<=[{(\[,;])\n", "", "\n".join(lines)) + "\n"


def literal(content):
    assert '"""##' not in content and "\\##" not in content
    return '##"""\n' + content + '"""##'


def swift():
    files = {name: script(*modules) for name, modules in SCRIPTS.items()}
    files.update((name, style(text(name)) + "\n" if name.endswith(".css") else text(name)) for name in TEXTS)
    files["openapi.json"] = json.dumps(json.loads(text("openapi.json")), ensure_ascii=False, separators=(",", ":")) + "\n"
    cases = [f'        "{name}": {literal(content)},' for name, content in files.items()]
    return (
        "// Written by Scripts/web_files.py from the files in Gateway/web. Change those, and run it again.\n"
        "// swift-format-ignore-file\n\n"
        "/// The files of the gateway's pages, by name.\n"
        "enum WebFiles {\n"
        "    static let texts: [String: String] = [\n" + "\n".join(cases) + "\n    ]\n}\n"
    )


def main():
    content = swift()
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != content:
            sys.exit("web_files: the gateway's code has other files than Gateway/web; run Scripts/web_files.py")
        return
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(content, encoding="utf-8")


main()
