#!/usr/bin/env python3
"""A test that lacks something is skipped, and fails with TRANSLATE_REQUIRE_ALL (tests/python/environment.py)."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Skipping(unittest.TestCase):
    def ended(self, code, **variables):
        """How a program with that code of environment.py ends, with these variables."""
        settings = {name: value for name, value in os.environ.items() if not name.startswith("TRANSLATE_")}
        command = [sys.executable, "-c", f"import environment; environment.{code}; print('went on')"]
        return subprocess.run(command, cwd=ROOT / "tests/python", env={**settings, **variables}, capture_output=True,
                              text=True, check=False)

    def test_what_is_missing_skips_a_test(self):
        for variables in ({}, {"TRANSLATE_REQUIRE_ALL": ""}, {"TRANSLATE_REQUIRE_ALL": "0"}):
            done = self.ended("require('nothing was compared', 'no_such_package')", **variables)
            self.assertEqual(done.returncode, 77)
            self.assertIn("SKIPPED: nothing was compared", done.stderr)
            self.assertIn("scripts/setup --python", done.stderr)

    def test_what_is_missing_fails_a_test_if_all_is_required(self):
        done = self.ended("require('nothing was compared', 'no_such_package')", TRANSLATE_REQUIRE_ALL="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED, as TRANSLATE_REQUIRE_ALL is set: nothing was compared", done.stderr)

    def test_what_is_there_lets_a_test_go_on(self):
        for variables in ({}, {"TRANSLATE_REQUIRE_ALL": "1"}):
            done = self.ended("require('nothing was compared', 'json', 'os')", **variables)
            self.assertEqual((done.returncode, done.stdout), (0, "went on\n"))

    def test_every_test_with_python_may_be_skipped(self):
        """Without SKIP_RETURN_CODE, ctest would take a skipped test for a failed one."""
        for added in (ROOT / "tests/CMakeLists.txt").read_text(encoding="utf-8").split("add_test(NAME ")[1:]:
            if added.startswith("python."):
                self.assertIn("SKIP_RETURN_CODE 77", added, added.split()[0])


if __name__ == "__main__":
    unittest.main()
