#!/usr/bin/env python3
"""A compiler's cache serves every clone of the project: no definition of a compilation names the project's folder, but
those of the file that tells the tests where it is. TRANSLATE_BUILD_DIR: the folder of the build."""

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


def definitions_of_folders(entry):
    arguments = shlex.split(entry["command"])
    return [each for each in arguments if each.startswith("-D") and str(ROOT) in each]


class CompilerCache(unittest.TestCase):
    def test_definitions_are_the_same_in_every_clone(self):
        commands = json.loads((BUILD_DIR / "compile_commands.json").read_text(encoding="utf-8"))
        found = {entry["file"]: definitions_of_folders(entry) for entry in commands if definitions_of_folders(entry)}
        self.assertEqual(list(found), [str(FOLDERS)], found)
        self.assertEqual(len(found[str(FOLDERS)]), 2)


if __name__ == "__main__":
    unittest.main()
