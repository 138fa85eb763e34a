#!/usr/bin/env python3
"""scripts/coverage adds up gcovr's counts by layer, and fails below its limits. A stand-in for gcovr gives the counts."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]

GCOVR = """#!/bin/sh
while [ $# -gt 0 ]; do
  if [ "$1" = --json-summary ]; then cp "$COUNTS" "$2"; fi
  shift
done
"""


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-coverage-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/gcovr").write_text(GCOVR)
        (self.folder / "bin/gcovr").chmod(0o755)
        (self.folder / "scripts").mkdir()
        for name in ("coverage", "common.sh"):
            shutil.copy(ROOT / "scripts" / name, self.folder / "scripts")
        (self.folder / "docs").mkdir()
        (self.folder / "docs/reliability.md").write_text(
            "| target | reader | files |\n|---|---|---|\n| `json` | JSON | `src/engine/config/json.cpp` |\n"
            "| `pickle` | pickles | `src/tools/interop/pytorch` |\n")

    def report(self, counts):
        """What --report prints, and its exit code, for {file: (covered, lines)}."""
        files = [{"filename": name, "line_covered": covered, "line_total": lines}
                 for name, (covered, lines) in counts.items()]
        (self.folder / "counts.json").write_text(json.dumps({"files": files}))
        environment = os.environ | {"PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                                    "COUNTS": str(self.folder / "counts.json")}
        done = subprocess.run([self.folder / "scripts/coverage", "--report"], capture_output=True, encoding="utf-8",
                              env=environment)
        return done.stdout, done.stderr, done.returncode

    def test_counts_are_added_up_by_layer(self):
        header, link = (self.folder / place for place in ("src/engine/config/json.h", "build/coverage/layers/config/config/json.h"))
        for file in (header, link):
            file.parent.mkdir(parents=True)
        header.touch()
        link.symlink_to(header)
        out, err, code = self.report({"src/engine/config/json.cpp": (95, 100), "src/engine/config/validate.cpp": (90, 100),
                                      "build/coverage/layers/config/config/json.h": (5, 10),
                                      "src/tools/interop/pytorch/pickle_reader.cpp": (195, 200),
                                      "include/translate/translate.h": (10, 10)})
        self.assertEqual(code, 0, err)
        rows = [" ".join(line.split()) for line in out.splitlines()]
        self.assertIn("engine/config 190 of 210 lines 90.5 %", rows)  # with the header, by the link in its layer
        self.assertIn("tools/interop 195 of 200 lines 97.5 %", rows)
        self.assertIn("include 10 of 10 lines 100.0 %", rows)
        self.assertIn("the readers of foreign data 290 of 300 lines 96.7 %", rows)
        self.assertIn("in all 395 of 420 lines 94.0 %", rows)
        self.assertIn("src/engine/config/json.h 5 of 10 lines 50.0 %", rows)

    def test_too_few_lines_of_readers_or_of_all_are_a_failure(self):
        enough = {"src/engine/config/json.cpp": (96, 100), "src/tools/interop/pytorch/pickle_reader.cpp": (96, 100)}
        self.assertEqual(self.report(enough)[2], 0)
        self.assertEqual(self.report(enough | {"src/engine/config/json.cpp": (80, 100)})[2], 1)
        self.assertEqual(self.report(enough | {"src/trainer/data/pair_reader.cpp": (0, 100)})[2], 1)

    def test_a_reader_of_the_table_that_is_not_counted_is_named(self):
        _, err, code = self.report({"src/engine/config/json.cpp": (96, 100)})
        self.assertEqual(code, 1)
        self.assertIn("names src/tools/interop/pytorch, of which no line is counted", err)


if __name__ == "__main__":
    unittest.main()
