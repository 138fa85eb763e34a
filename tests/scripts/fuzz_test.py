#!/usr/bin/env python3
"""scripts/fuzz and its targets fit together: each target is built, has seeds, its dictionary and a row in the
documentation. The targets themselves are compiled and run by scripts/fuzz alone."""

import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUZZ = ROOT / "tests/fuzz"
TARGETS = sorted(path.stem for path in FUZZ.glob("*.cpp"))


def run(*arguments):
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=60)


class FuzzTest(unittest.TestCase):
    def test_each_target_is_built_and_documented(self):
        self.assertGreater(len(TARGETS), 20)
        built = re.findall(r"^translate_add_fuzz_target\((\w+)", (FUZZ / "CMakeLists.txt").read_text(), flags=re.MULTILINE)
        self.assertEqual(sorted(built), TARGETS)
        documented = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/reliability.md").read_text(), flags=re.MULTILINE)
        self.assertEqual(sorted(set(documented)), TARGETS)

    def test_each_target_has_seeds(self):
        for target in TARGETS:
            with self.subTest(target=target), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(run(FUZZ / "make_seeds.py", target, folder).returncode, 0)
                sizes = [path.stat().st_size for path in pathlib.Path(folder).iterdir()]
                self.assertGreater(len(sizes), 0)
                self.assertLessEqual(max(sizes), 20000)
        folders = {path.name for path in (FUZZ / "seeds").iterdir()}
        self.assertEqual(folders - set(TARGETS), set())

    def test_dictionaries_are_those_that_the_script_names(self):
        script = (ROOT / "scripts/fuzz").read_text()
        choice = re.search(r"^dictionary_of\(\) \{\n.*?^\}\n", script, flags=re.MULTILINE | re.DOTALL).group()
        calls = "\n".join(f"dictionary_of {target}" for target in TARGETS)
        named = set(run("bash", "-euc", choice + calls).stdout.split())
        self.assertEqual(named, {path.stem for path in (FUZZ / "dictionaries").glob("*.dict")})
        for path in (FUZZ / "dictionaries").glob("*.dict"):
            lines = path.read_text(encoding="ascii").splitlines()
            entry = re.compile(r'"(?:[^"\\]|\\x[0-9a-f]{2})+"')  # libFuzzer refuses the whole file for one other line
            self.assertEqual([line for line in lines if not line.startswith("#") and not entry.fullmatch(line)], [], path)

    def test_wrong_arguments_are_named(self):
        self.assertIn("--seconds", run("scripts/fuzz", "--help").stdout)
        unknown = run("scripts/fuzz", "nothing")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("there is no target nothing; there are:", unknown.stderr)
        self.assertIn("http", unknown.stderr)
        for seconds in ("x", "0", "-1"):
            wrong = run("scripts/fuzz", "--seconds", seconds, "json")
            self.assertEqual(wrong.returncode, 1)
            self.assertIn(f"found {seconds}", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
