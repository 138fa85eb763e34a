#!/usr/bin/env python3
"""The compiler's cache serves every clone of the project: no definition (-D) on the compiler's command line names the
project's folder, except for the file that tells the tests where it is. TRANSLATE_BUILD_DIR: the folder of the build."""

import json
import os
import pathlib
import shlex
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD_DIR = pathlib.Path(os.environ.get("TRANSLATE_BUILD_DIR", ROOT / "build" / "release"))
FOLDERS = ROOT / "tests" / "support" / "folders.cpp"


class CompilerCache(unittest.TestCase):
    def test_definitions_are_the_same_in_every_clone(self):
        commands = json.loads((BUILD_DIR / "compile_commands.json").read_text(encoding="utf-8"))
        found = [(entry["file"], argument) for entry in commands for argument in shlex.split(entry["command"])
                 if argument.startswith("-D") and str(ROOT) in argument]
        self.assertEqual([file for file, _ in found], 2 * [str(FOLDERS)], found)


if __name__ == "__main__":
    unittest.main()
