"""The command ``popup-desktop``, as far as it needs no session bus."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import popupbroker

MAIN = "from popupbroker.desktop.__main__ import main; main()"
WITHOUT_DBUS_FAST = f"""
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name == "dbus_fast":
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Nothing())
{MAIN}
"""
"""As where only ``popupbroker`` is installed, whatever else this Python has."""


def popup_desktop(*arguments: str, program: str = MAIN) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-B", "-c", program, *arguments], check=False, capture_output=True, text=True, timeout=60
    )


class DesktopCommandTests(unittest.TestCase):
    def test_it_says_its_version(self) -> None:
        for program in (MAIN, WITHOUT_DBUS_FAST):
            result = popup_desktop("--version", program=program)
            self.assertEqual(result.stdout, f"popup-desktop {popupbroker.__version__}\n", result.stderr)
            self.assertEqual(result.returncode, 0)

    def test_without_dbus_fast_it_says_in_a_sentence_what_to_install(self) -> None:
        for arguments in (["bridge"], ["show", "lobby"]):
            result = popup_desktop(*arguments, program=WITHOUT_DBUS_FAST)
            self.assertEqual(
                result.stderr, "popup-desktop: dbus-fast is missing; `pip install 'dbus-fast>=4'` installs it\n"
            )
            self.assertEqual((result.stdout, result.returncode), ("", 69))

    def test_what_is_broken_inside_of_it_is_not_called_a_missing_package(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "dbus_fast"
            package.mkdir()
            (package / "__init__.py").write_text("import a_module_that_nobody_has\n")
            result = popup_desktop("bridge", program=f"import sys; sys.path.insert(0, {folder!r}); {MAIN}")
            self.assertIn("a_module_that_nobody_has", result.stderr)
            self.assertNotIn("pip install", result.stderr)

    def test_priorities_are_three_numbers(self) -> None:
        result = popup_desktop("bridge", "--priorities", "1,2")
        self.assertIn("--priorities: needs three numbers, such as 0,5,9", result.stderr)
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()
