#!/usr/bin/env python3
"""Writes the licenses of all that programs contain: of the packages that they link, of the Swift runtime, and of code that
these packages have from others.

    licenses.py PROGRAM…                       prints names, versions, license texts and notices
    licenses.py --debian DIRECTORY PROGRAM…    writes DIRECTORY/PROGRAM.copyright (DEP-5), and
                                               DIRECTORY/PROGRAM.licenses/licenses.txt

Which packages a program links follows from the manifests, without a build: from its target over the products that this
names. The texts are those of the checkouts of SwiftPM: `swift package resolve` makes them.

Exit codes: 64 wrong arguments; 65 a package without a license text, or one that is missing in the table below; 69 no
checkouts.
"""

import argparse
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
TEXTS = ROOT / "Packaging/licenses"

APACHE = "Apache-2.0"
APACHE_SWIFT = "Apache-2.0 with Swift exception"
EXPAT = "Expat"

# The license and the holders of the copyright (";" between them) of each package that a program may link.
PACKAGES = {
    "grdb.swift": (EXPAT, "2015-2025 Gwendal Roué"),
    "grpc-swift-2": (APACHE, "the gRPC authors"),
    "grpc-swift-nio-transport": (APACHE, "the gRPC authors"),
    "grpc-swift-protobuf": (APACHE, "the gRPC authors"),
    "hummingbird": (APACHE, "the Hummingbird authors"),
    "swift-algorithms": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-argument-parser": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-asn1": (APACHE, "Apple Inc. and the SwiftASN1 project authors"),
    "swift-async-algorithms": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-atomics": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-certificates": (APACHE, "Apple Inc. and the SwiftCertificates project authors"),
    "swift-collections": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-crypto": (APACHE, "Apple Inc. and the SwiftCrypto project authors"),
    "swift-distributed-tracing": (APACHE, "Apple Inc. and the Swift Distributed Tracing project authors"),
    "swift-http-structured-headers": (APACHE, "Apple Inc. and the SwiftNIO project authors"),
    "swift-http-types": (APACHE, "Apple Inc. and the Swift project authors"),
    "swift-log": (APACHE, "Apple Inc. and the Swift Logging API project authors"),
    "swift-metrics": (APACHE, "Apple Inc. and the Swift Metrics API project authors"),
    "swift-nio": (APACHE, "Apple Inc. and the SwiftNIO project authors"),
    "swift-nio-extras": (APACHE, "Apple Inc. and the SwiftNIO project authors"),
    "swift-nio-http2": (APACHE, "Apple Inc. and the SwiftNIO project authors"),
    "swift-nio-ssl": (APACHE, "Apple Inc. and the SwiftNIO project authors"),
    "swift-numerics": (APACHE_SWIFT, "Apple Inc. and the Swift Numerics project authors"),
    "swift-protobuf": (APACHE_SWIFT, "Apple Inc. and the Swift project authors"),
    "swift-service-context": (APACHE, "Apple Inc. and the Swift Service Context project authors"),
    "swift-service-lifecycle": (APACHE, "Apple Inc. and the SwiftServiceLifecycle project authors"),
    "swift-subprocess": (APACHE, "Apple Inc. and the Swift project authors"),
    "swift-system": (APACHE_SWIFT, "Apple Inc. and the Swift System project authors"),
    "yams": (EXPAT, "2016 JP Simard"),
}

# Licenses of which the texts in Packaging/licenses are all that is under them.
BSD_APPLE = "BSD-3-clause-Apple"
BSD_GOOGLE = "BSD-3-clause-Google"
BSD_2 = "BSD-2-clause"
GLADMAN = "Gladman"
CC0 = "CC0-1.0"


@dataclass(frozen=True)
class Part:
    """Code that a target has from others."""

    name: str
    license: str
    holders: str
    text: str
    """The file with the text, from the target's directory or from Packaging/licenses."""
    files: str = "*"
    """The files, from the target's directory."""


BORINGSSL = [
    Part("BoringSSL", APACHE, "the OpenSSL project authors; the BoringSSL authors", "../../LICENSE.txt"),
    # The checkouts have its files without a notice.
    Part("fiat-crypto", EXPAT, "2015-2020 the fiat-crypto authors", "fiat.txt", "third_party/fiat/*"),
]
BASE64 = [
    Part("fastbase64", BSD_2, "2015-2016 Wojciech Muła, Alfred Klomp, Daniel Lemire", "fastbase64.txt", "Internal/Base64.swift"),
    Part("stringencoders", EXPAT, "2016 Nick Galbreath", "stringencoders.txt", "Internal/Base64.swift"),
]
# By target, the code that targets of these packages have from others.
CODE_OF_OTHERS = {
    "CCryptoBoringSSL": BORINGSSL,
    "CNIOAtomics": [Part("uSHET", EXPAT, "2014 Thomas Nixon", "ushet.txt", "src/cpp_magic.h")],
    "CNIOBoringSSL": BORINGSSL,
    "CNIOLLHTTP": [Part("llhttp", EXPAT, "2018 Fedor Indutny", "LICENSE")],
    "CXKCP": [
        Part("XKCP", CC0, "Guido Bertoni, Joan Daemen, Michaël Peeters, Gilles Van Assche and Ronny Van Keer", "xkcp.txt"),
        Part("brg_endian.h", GLADMAN, "1998-2008 Brian Gladman", "gladman.txt", "FIPS202-opt64/brg_endian.h"),
    ],
    "CYaml": [Part("libyaml", EXPAT, "2017-2020 Ingy döt Net; 2006-2016 Kirill Simonov", "libyaml.txt")],
    "GRDB": [Part(
        "Active Support", EXPAT, "2005-2019 David Heinemeier Hansson; 2015-2023 Gwendal Roué", "activesupport.txt",
        "Utils/Inflections+English.swift")],
    "GRPCCore": BASE64,
    "GRPCNIOTransportCore": BASE64,
    "NIOHPACK": [Part("nghttp2", EXPAT, "2013 Tatsuhiro Tsujikawa", "nghttp2.txt", "HuffmanTables.swift")],
    "SwiftProtobuf": [Part("Protocol Buffers", BSD_GOOGLE, "2008 Google Inc.", "protobuf.txt", "*.pb.swift")],
    "X509": [Part("musl", EXPAT, "2005-2020 Rich Felker, et al.", "musl.txt", "X509BaseTypes/TimeCalculations.swift")],
}

LEGAL_FILE = re.compile(r"(licen[cs]e|notice|copying)[^/]*", re.I)
# What a notice asks of those who hand out programs.
NOTICE = re.compile(r"binary distributions include|redistributions in binary form|(included|appear) in all copies", re.I)
SOURCES = {".c", ".cc", ".cpp", ".h", ".hpp", ".inc", ".macros", ".S", ".s", ".swift"}


def fail(code: int, text: str) -> NoReturn:
    print(f"licenses: {text}", file=sys.stderr)
    sys.exit(code)


@dataclass(frozen=True)
class Component:
    """Something that a program contains, with the texts of its licenses by the names of their files."""

    name: str
    version: str
    location: str
    license: str
    holders: str
    texts: dict[str, str]
    folder: str


@dataclass
class Package:
    """A package with its manifest as SwiftPM reads it."""

    identity: str
    path: Path
    manifest: dict[str, Any]
    traits: set[str] = field(default_factory=set)

    @property
    def targets(self) -> dict[str, dict[str, Any]]:
        return {target["name"]: target for target in self.manifest["targets"]}

    @property
    def products(self) -> dict[str, list[str]]:
        return {product["name"]: product["targets"] for product in self.manifest["products"]}

    def folder(self, target: str) -> Path:
        path = self.targets[target].get("path")
        return self.path / path if path else self.path / "Sources" / target

    def enable(self, traits: list[dict[str, Any]]) -> None:
        """Enables traits with those that they name."""
        known = {trait["name"]: trait["enabledTraits"] for trait in self.manifest.get("traits") or []}
        names = [trait["name"] for trait in traits]
        while names:
            name = names.pop()
            if name not in self.traits:
                self.traits.add(name)
                names += known.get(name, [])


class Linker:
    """What a program of a package links, from the manifests."""

    def __init__(self, root: Path, scratch: Path) -> None:
        self.root = root
        self.scratch = scratch
        state = build_directory(root) / "workspace-state.json"
        if not state.exists():
            fail(69, f"there are no checkouts in {state.parent}; `swift package --package-path {root} resolve` makes them")
        self.checkouts = {
            entry["packageRef"]["identity"]: entry for entry in json.loads(state.read_text())["object"]["dependencies"]
            if entry["packageRef"]["kind"] != "fileSystem"}
        self.packages: dict[str, Package] = {}
        # By package, the targets that are linked.
        self.linked: dict[str, set[str]] = {}

    def load(self, identity: str, path: Path) -> Package:
        if identity not in self.packages:
            self.packages[identity] = Package(identity, path, dump(path, self.scratch))
        return self.packages[identity]

    def dependency(self, entry: dict[str, Any]) -> tuple[str, str, list[dict[str, Any]], Path]:
        """The identity of a dependency, its other name, its traits, and its directory."""
        (kind, (values,)), = entry.items()
        identity = values["identity"]
        if kind == "fileSystem":
            path = Path(values["path"])
        elif identity in self.checkouts:
            path = build_directory(self.root) / "checkouts" / self.checkouts[identity]["subpath"]
        else:
            # No target of the program needs it: SwiftPM has no checkout.
            path = Path()
        name = values.get("nameForTargetDependencyResolutionOnly") or identity
        return identity, name, values.get("traits", [{"name": "default"}]), path

    def link(self, program: str) -> None:
        root = self.load("", self.root)
        root.enable([{"name": "default"}])
        # Again until no trait is new: a package reached late may enable a trait of one reached before.
        traits = -1
        while traits != (traits := sum(len(package.traits) for package in self.packages.values())):
            self.seen: set[tuple[str, str]] = set()
            self.visit(root, program)

    def visit(self, package: Package, name: str) -> None:
        target = package.targets[name]
        # What the compiler runs is not linked.
        if (package.identity, name) in self.seen or target["type"] in ("plugin", "macro"):
            return
        if target["type"] == "binary":
            fail(65, f"{package.path}/Package.swift: {name} is a binary, whose content and license are not known")
        self.seen.add((package.identity, name))
        self.linked.setdefault(package.identity, set()).add(name)
        for entry in target["dependencies"]:
            (kind, values), = entry.items()
            condition = values[-1]
            if not self.applies(condition, package):
                continue
            if kind == "product":
                self.visit_product(package, values[0], values[1])
            elif values[0] in package.targets:
                self.visit(package, values[0])
            else:
                self.visit_product(package, values[0], None)

    @staticmethod
    def applies(condition: dict[str, Any] | None, package: Package) -> bool:
        if condition is None:
            return True
        platforms, traits = condition.get("platformNames") or [], condition.get("traits") or []
        return (not platforms or "linux" in platforms) and (not traits or bool(package.traits & set(traits)))

    def visit_product(self, package: Package, product: str, name: str | None) -> None:
        for entry in package.manifest["dependencies"]:
            identity, other_name, traits, path = self.dependency(entry)
            if path == Path() or name is not None and name.lower() not in (identity, other_name.lower()):
                continue
            found = self.load(identity, path)
            if product not in found.products:
                continue
            found.enable(traits)
            for target in found.products[product]:
                self.visit(found, target)
            return
        fail(65, f"{package.path}/Package.swift: there is no product {product} of the package {name}")

    def components(self) -> list[Component]:
        """The packages from elsewhere that are linked, and what their targets have from others."""
        found: list[Component] = []
        for identity, targets in sorted(self.linked.items()):
            if identity not in self.checkouts:
                continue
            package, checkout = self.packages[identity], self.checkouts[identity]
            state = checkout["state"].get("checkoutState", {})
            name, location = checkout["subpath"], checkout["packageRef"]["location"].removesuffix(".git")
            version = str(state.get("version") or state.get("revision", ""))
            texts = {
                file.name: file.read_text() for file in sorted(package.path.iterdir())
                if file.is_file() and LEGAL_FILE.fullmatch(file.name)}
            if not any(not file.lower().startswith("notice") for file in texts):
                fail(65, f"{package.path} has no license text: without a license, it must not be linked")
            if identity not in PACKAGES:
                fail(65, f"{name} is missing in the table of Scripts/licenses.py: add its license and its holders")
            license, holders = PACKAGES[identity]
            found.append(Component(name, version, location, license, holders, texts, f"{name}/*"))
            for target in sorted(targets):
                folder = package.folder(target)
                parts = CODE_OF_OTHERS.get(target, [])
                of_target = dict(texts)
                for part in parts:
                    path = folder / part.text if (folder / part.text).exists() else TEXTS / part.text
                    of_target[path.name] = path.read_text()
                    found.append(Component(
                        part.name, f"that of {name} {version}", location, part.license, part.holders,
                        {path.name: of_target[path.name]}, f"{name}/{folder.relative_to(package.path)}/{part.files}"))
                if not parts and any(
                        LEGAL_FILE.fullmatch(file.name) and file.suffix in ("", ".txt", ".md")
                        for file in folder.rglob("*") if folder != package.path):
                    fail(65, f"{folder} has a license of its own: add it to the table of Scripts/licenses.py")
                for file, notice in notices(folder, of_target.values()):
                    fail(65, f"{file} has a notice that belongs to the program: `{notice}`; add it to Scripts/licenses.py")
        return found


def notices(folder: Path, texts: Iterable[str]) -> Iterator[tuple[Path, str]]:
    """The notices in sources that the copies of a program have to repeat and that are in none of the texts, each from the
    copyright before it."""
    known = " ".join(words(text) for text in texts)
    for file in sorted(folder.rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        source = words(file.read_text(errors="replace"))
        for match in NOTICE.finditer(source):
            notice = source[max(source.rfind("Copyright", 0, match.start()), 0):match.end()]
            if notice not in known:
                yield file, f"{notice[:60]}… {match.group()}"


def words(text: str) -> str:
    """The words of a text, without the marks of comments and lists, in one line."""
    return " ".join(re.sub(r"(?m)^[\s/*#;]+", " ", text).split())


def build_directory(package: Path) -> Path:
    """The directory in which SwiftPM builds a package: SWIFTPM_BUILD_DIR if it is set, with the state of the package built
    last."""
    return Path(os.environ.get("SWIFTPM_BUILD_DIR") or package / ".build")


@functools.cache
def dump(path: Path, scratch: Path) -> dict[str, Any]:
    """The manifest of a package."""
    command = ["swift", "package", "--package-path", str(path), "--scratch-path", str(scratch), "dump-package"]
    # The variable goes before the directory that is named.
    environment = {name: value for name, value in os.environ.items() if name != "SWIFTPM_BUILD_DIR"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        fail(65, f"{path}/Package.swift cannot be read: {result.stderr.strip()}")
    manifest: dict[str, Any] = json.loads(result.stdout)
    return manifest


def contents(program: str, scratch: Path) -> list[Component]:
    """All that a program contains."""
    for folder in (ROOT, ROOT / "Gateway", ROOT / "Fleet"):
        manifest = folder / "Package.swift"
        if not manifest.exists() or f'"{program}"' not in manifest.read_text():
            continue
        linker = Linker(folder, scratch)
        linker.link(program)
        runtime = [
            Component(
                "Swift runtime and Foundation", "", "https://github.com/swiftlang", APACHE_SWIFT,
                "Apple Inc. and the Swift project authors", {"swift.txt": (TEXTS / "swift.txt").read_text()}, "swift/*"),
            Component(
                "uuid", "that of Foundation", "https://github.com/swiftlang/swift-foundation", BSD_APPLE,
                "2004 Apple Computer, Inc.", {"uuid.txt": (TEXTS / "uuid.txt").read_text()},
                "swift-foundation/Sources/_FoundationCShims/uuid.c"),
            Component(
                "ICU", "that of Foundation", "https://github.com/unicode-org/icu", "Unicode-3.0",
                "2016-2024 Unicode, Inc.; 1995-2016 International Business Machines Corporation and others",
                {"icu.txt": (TEXTS / "icu.txt").read_text()}, "swift-foundation-icu/*"),
        ]
        return runtime + linker.components()
    fail(64, f"no manifest names a program {program}")


def text(programs: list[str], components: list[Component]) -> str:
    """The licenses as people read them: each text once."""
    rule = "=" * 78
    own = (ROOT / "LICENSE").read_text().strip("\n")
    parts = [
        f"{', '.join(programs)}: Copyright 2026 the PopupBroker authors, under the Apache License 2.0, whose text follows.\n"
        "Below are the licenses and notices of all that is compiled in, or comes as the runtime of Swift.\n\n",
        f"{own}\n"]
    first = {own: "that of PopupBroker"}
    for component in components:
        facts = {
            "Name": component.name, "Version": component.version, "Source": component.location,
            "License": component.license, "Copyright": component.holders}
        lines = "".join(f"{name}: {fact}\n" for name, fact in facts.items() if fact)
        parts.append(f"\n{rule}\n{lines}{rule}\n")
        for file, body in component.texts.items():
            body = body.strip("\n")
            if body in first:
                parts.append(f"\n{file}: the same text as {first[body]}\n")
                continue
            first[body] = f"{file} of {component.name}"
            parts.append(f"\n{file}:\n\n{body}\n")
    return "".join(parts)


def copyright(components: list[Component]) -> str:
    """The file `copyright` of a Debian package, in the format DEP-5."""
    paragraphs = [(ROOT / "Packaging/debian/copyright").read_text().strip()]
    # Of paragraphs for the same files, only the last would count.
    for files in dict.fromkeys(component.folder for component in components):
        same = [component for component in components if component.folder == files]
        holders = "; ".join(component.holders for component in same).replace("; ", "\n ")
        license = " and ".join(dict.fromkeys(component.license for component in same))
        paragraphs.append(f"Files: {files}\nCopyright: {holders}\nLicense: {license}")
    bodies = {
        APACHE: "On Debian systems, the full text of the Apache License 2.0 is in\n/usr/share/common-licenses/Apache-2.0.",
        APACHE_SWIFT: "On Debian systems, the full text of the Apache License 2.0 is in\n"
        "/usr/share/common-licenses/Apache-2.0.\n\n" + exception((TEXTS / "swift.txt").read_text()),
        EXPAT: (TEXTS / "libyaml.txt").read_text().split("\n\n", 1)[1],
        CC0: (TEXTS / "xkcp.txt").read_text() + "\nOn Debian systems, the full text of CC0 is in\n"
        "/usr/share/common-licenses/CC0-1.0.",
        **{license: (TEXTS / file).read_text() for license, file in (
            (BSD_APPLE, "uuid.txt"), (BSD_GOOGLE, "protobuf.txt"), (BSD_2, "fastbase64.txt"), (GLADMAN, "gladman.txt"))},
        # Its dictionaries and tools have licenses of their own: the file licenses.txt has them.
        "Unicode-3.0": (TEXTS / "icu.txt").read_text().split("\n------", 1)[0],
    }
    for license in dict.fromkeys([APACHE, *(component.license for component in components)]):
        if license not in bodies:
            fail(65, f"the text of the license {license} is missing in Scripts/licenses.py")
        lines = [f" {line.strip()}" if line.strip() else " ." for line in bodies[license].strip("\n").splitlines()]
        paragraphs.append("\n".join([f"License: {license}", *lines]))
    return "\n\n".join(paragraphs) + "\n"


def exception(license: str) -> str:
    """The words with which Swift's license excepts what a compiler puts into programs."""
    words = license[license.index("## Runtime Library Exception"):].replace("##", "").strip()
    return re.sub(r"\n{3,}", "\n\n", words)


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the licenses of all that programs contain.")
    parser.add_argument("--debian", type=Path, metavar="DIRECTORY", help="write files of Debian packages")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = {program: contents(program, Path(scratch)) for program in arguments.programs}
    together = list({component.name: component for components in found.values() for component in components}.values())
    if arguments.debian is None:
        print(text(arguments.programs, together), end="")
    else:
        for program, components in found.items():
            folder = arguments.debian / f"{program}.licenses"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "licenses.txt").write_text(text([program], components))
            (arguments.debian / f"{program}.copyright").write_text(copyright(components))


if __name__ == "__main__":
    main()
