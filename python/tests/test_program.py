"""The lines of a program that a test waits for."""

from __future__ import annotations

import sys
import unittest

from tests.program import Program


class ProgramTests(unittest.TestCase):
    def program(self, code: str) -> Program:
        program = Program(sys.executable, "-c", code)
        self.addCleanup(program.kill)
        return program

    def test_lines_that_come_at_once_are_read_one_by_one(self) -> None:
        program = self.program("import os, time; os.write(1, b'one\\ntwo\\n'); time.sleep(60)")
        self.assertEqual([program.line("."), program.line(".")], ["one", "two"])

    def test_an_end_without_the_line_says_so(self) -> None:
        program = self.program("print('one')")
        with self.assertRaisesRegex(AssertionError, "ended without a line that matches 'two'"):
            program.line("two")
        self.assertEqual(program.status(), 0)
        self.assertFalse(program.is_running())
