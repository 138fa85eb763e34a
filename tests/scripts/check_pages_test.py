#!/usr/bin/env python3
"""scripts/check-pages notices faults in the scripts of pages, and names file and line. Skipped without `tsc`."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

import environment  # noqa: E402

PAGE = """<html>
<p id="text">words of the page, which are no script</p>
<script>
"use strict";
/* include tools/shared.js */
OWN
</script>
<script type="application/json" id="data">DATA</script>
</html>
"""
SHARED = """const shown = (text) => `<${text}>`;
const counted = (list) => list.length;
"""
USES_ALL = "document.title = shown(counted([]));"


class CheckPages(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="translate-")
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        (self.root / "src/tools").mkdir(parents=True)
        self.write("shared.js", SHARED)

    def write(self, name, text):
        (self.root / "src/tools" / name).write_text(text, encoding="utf-8")

    def check(self, **pages):
        """The lines of check-pages about pages with these scripts; none if it finds nothing."""
        for name, own in pages.items():
            self.write(f"{name}.html", PAGE.replace("OWN", own))
        command = [ROOT / "scripts/check-pages", "--root", self.root]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1 if done.stderr else 0, done.stdout)
        return done.stderr.splitlines()

    def test_a_page_in_order(self):
        self.assertEqual(self.check(a=USES_ALL, b=USES_ALL), [])

    def test_a_name_that_is_not_declared(self):
        self.assertEqual(self.check(a=f"{USES_ALL}\nshowm(1);"),
                         ["src/tools/a.html:7: Cannot find name 'showm'. Did you mean 'shown'?"])
        self.assertEqual(self.check(a=f"{USES_ALL}\nlostName.clear();"), ["src/tools/a.html:7: Cannot find name 'lostName'."])

    def test_a_name_that_nothing_uses(self):
        self.assertEqual(self.check(a=f"{USES_ALL}\nconst rest = 1;"),
                         ["src/tools/a.html:7: 'rest' is declared but its value is never read."])

    def test_a_shared_name_is_unused_if_no_page_uses_it(self):
        self.assertEqual(self.check(a="document.title = shown(1);", b=USES_ALL), [])
        self.assertEqual(self.check(a="document.title = shown(1);", b="document.title = shown(2);"),
                         ["src/tools/shared.js:2: 'counted' is declared but its value is never read."])

    def test_syntax(self):
        self.assertEqual(self.check(a=f"{USES_ALL}\nif (1 {{ shown(1); }}"), ["src/tools/a.html:7: ')' expected."])

    def test_a_constant_that_is_changed(self):
        self.assertEqual(self.check(a=f"{USES_ALL}\nconst one = 1; one += shown(one);"),
                         ["src/tools/a.html:7: Cannot assign to 'one' because it is a constant."])

    def test_a_file_that_no_page_includes(self):
        self.write("forgotten.js", "lost();\n")
        self.assertEqual(self.check(a=USES_ALL), ["src/tools/forgotten.js: no page includes it"])

    def test_a_script_that_it_would_not_see(self):
        self.write("b.html", '<script type="module">\nlost();\n</script>\n')
        [message] = self.check(a=USES_ALL)
        self.assertIn("b.html:1: a script begins in the line after <script>", message)


if __name__ == "__main__":
    if shutil.which("tsc") is None:
        environment.skip("TypeScript's compiler is not installed (Debian: node-typescript): check-pages was not tried")
    unittest.main()
