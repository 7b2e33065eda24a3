#!/usr/bin/env python3
"""Writes the manual page (mdoc) of a program from its own description of its commands:

    PROGRAM --experimental-dump-help | man_page.py [SEE ALSO: NAME(SECTION)…] > PROGRAM.1

The lists `Exit codes:`, `Files:` and `Environment:` in the description of the program become the sections that manual pages
have for them. An item is indented by two spaces; its text follows after two more, or in the next lines, indented further.

The date is that of SOURCE_DATE_EPOCH, or today.
"""

import json
import os
import re
import sys
import textwrap
import time

LINE = 78

# The lists of a description that are sections of the page: the section, and the macro of what an item begins with. In the order
# of mdoc(7).
LISTS = {
    "Environment:": ("ENVIRONMENT", "Ev "),
    "Files:": ("FILES", "Pa "),
    "Exit codes:": ("EXIT STATUS", ""),
}


def escaped(text):
    """A text as roff reads it: no character of it is an instruction."""
    return text.replace("\\", "\\e").replace("-", "\\-")


def prose(text):
    """Lines of one paragraph: a sentence begins on a line of its own, and no line is an instruction."""
    lines = []
    for sentence in re.split(r"(?<=[.!?:;]) +(?=\S)", " ".join(text.split())):
        lines += textwrap.wrap(sentence, LINE, break_long_words=False, break_on_hyphens=False)
    return [("\\&" if line[0] in ".'" else "") + line.replace("\\", "\\e") for line in lines if line]


def paragraphs(text):
    """A discussion: paragraphs, and indented lines as they are."""
    lines = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        rows = part.split("\n")
        for literal, block in grouped(rows, lambda row: row.startswith("  ")):
            if literal:
                lines += [".Bd -literal -offset indent"]
                lines += [("\\&" if row[2:3] in (".", "'") else "") + row[2:].replace("\\", "\\e") for row in block]
                lines += [".Ed"]
            else:
                lines += [".Pp"] + prose(" ".join(block))
    return lines


def divided(text):
    """A description without the lists that are sections, and these: items with their texts, by heading."""
    rest, lists = [], {}
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        heading, *rows = part.split("\n")
        if heading not in LISTS:
            rest.append(part)
            continue
        items = lists.setdefault(heading, [])
        for row in rows:
            if re.match(r"  \S", row):
                items.append(re.split(r" {2,}", row.strip(), maxsplit=1) if "  " in row.strip() else [row.strip(), ""])
            else:
                items[-1][1] += " " + row.strip()
    return "\n\n".join(rest), lists


def section(heading, items):
    """A section of the page with a list of a description."""
    name, kind = LISTS[heading]
    lines = [f".Sh {name}", ".Bl -tag -width Ds"]
    for words, text in items:
        # One macro line: each word by itself, with the commas between them.
        words = " , ".join(kind + escaped(word) for word in words.split(", "))
        lines += [f".It {words}"] + prose(text)
    return lines + [".El"]


def grouped(rows, key):
    groups = []
    for row in rows:
        if groups and groups[-1][0] == key(row):
            groups[-1][1].append(row)
        else:
            groups.append((key(row), [row]))
    return groups


def macro(name, *words):
    """An instruction with arguments: those with spaces are quoted, and none is taken for an instruction."""
    return " ".join([name] + [f'"{word}"' if " " in word else word for word in words])


def spelling(argument, synopsis):
    """An argument as macros: in a synopsis with its preferred name, otherwise with all names."""
    value = escaped(argument.get("valueName") or "value")
    more = " ..." if argument.get("isRepeating") else ""
    if argument["kind"] == "positional":
        return f"Ar {value}{more}"
    names = [argument["preferredName"]] if synopsis else argument["names"]
    flags = [f"Fl {'Fl ' if name['kind'] == 'long' else ''}{escaped(name['name'])}" for name in names]
    value = f" Ar {value}" if argument["kind"] == "option" else ""
    # One macro line: Ns joins what roff would part.
    flags = [flag.replace("Fl Fl ", "Fl \\-") for flag in flags]
    return " , ".join(flags) + value + (more if argument["kind"] == "option" and synopsis else "")


def shown(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def arguments(command):
    """Its own arguments; those that each command has are said once."""
    common = ("help", "version")
    return [
        argument
        for argument in shown(command.get("arguments", []))
        if not any(name["name"] in common for name in argument.get("names") or [])
    ]


def synopsis(command, path):
    lines = [macro(".Nm", *path[:1])] + ([f".Cm {escaped(' '.join(path[1:]))}"] if path[1:] else [])
    for argument in arguments(command):
        lines.append((".Op " if argument.get("isOptional") else ".") + spelling(argument, True))
    return lines


def table(command):
    rows = []
    for argument in arguments(command):
        rows.append(".It " + spelling(argument, False))
        text = argument.get("abstract", "")
        if argument.get("defaultValue"):
            text = f"{text} The default is {argument['defaultValue']}."
        rows += prose(text)
        if argument.get("discussion"):
            rows += paragraphs(argument["discussion"])
    return [".Bl -tag -width Ds"] + rows + [".El"] if rows else []


def commands(command, path=()):
    """The commands that do something, each with its words."""
    path = (*path, command["commandName"])
    below = [each for each in shown(command.get("subcommands", [])) if each["commandName"] != "help"]
    if not below or arguments(command):
        yield command, path
    for each in below:
        yield from commands(each, path)


def page(tool, see_also):
    root = tool["command"]
    name = root["commandName"]
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    date = time.gmtime(epoch)
    lines = [
        f".Dd {time.strftime('%B', date)} {date.tm_mday}, {date.tm_year}",
        f".Dt {name.upper()} 1",
        ".Os",
        ".Sh NAME",
        f".Nm {name}",
        f".Nd {root['abstract'].partition(':')[0].rstrip('.')}",
        ".Sh SYNOPSIS",
    ]
    leaves = list(commands(root))
    for command, path in leaves:
        lines += [f".Nm {name}", *([f".Cm {escaped(' '.join(path[1:]))}"] if path[1:] else []), ".Op Ar options"]
    lines += [f".Nm {name}", ".Cm help", ".Op Ar command"]
    lines += [".Sh DESCRIPTION"]
    lines += prose(root["abstract"])
    discussion, lists = divided(root.get("discussion") or "")
    lines += paragraphs(discussion) if discussion else []
    lines += [".Pp", "Each command has the options", ".Fl \\-help", "and", ".Fl \\-version ."]
    lines += [".Sh COMMANDS"]
    for command, path in leaves:
        lines += [f".Ss {' '.join(path[1:]) or name}"]
        lines += synopsis(command, path)
        lines += [".Pp"] + prose(command.get("abstract", ""))
        lines += paragraphs(command["discussion"]) if command.get("discussion") and command is not root else []
        lines += table(command)
    for heading in LISTS:
        if heading in lists:
            lines += section(heading, lists[heading])
    if see_also:
        lines += [".Sh SEE ALSO"]
        others = [re.fullmatch(r"(.+)\((\d)\)", other).groups() for other in sorted(see_also)]
        lines += [
            f".Xr {other} {section}" + (" ," if index < len(others) - 1 else "")
            for index, (other, section) in enumerate(others)
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin), sys.argv[1:]))
