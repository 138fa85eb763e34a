#!/usr/bin/env python3
"""What documented_commands_test.py takes for a command, and that one that fails is noticed. TRANSLATE_BIN_DIR: the
programs' folder."""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from documented.commands import commands_of  # noqa: E402
from documented.workspace import Workspace  # noqa: E402


class Extraction(unittest.TestCase):
    """What is taken for a command, and that a wrong one is noticed."""

    def texts(self, markdown):
        return [command.text for command in commands_of("x.md", markdown)]

    def test_blocks_of_commands_are_read_whole(self):
        markdown = "```\ntranslate-eval --a \\\n  --b   # why\n\n# a remark\nfor i in 1 2; do\n  echo $i\ndone\n```\n"
        self.assertEqual(self.texts(markdown),
                         ["translate-eval --a \\\n  --b   # why", "for i in 1 2; do\n  echo $i\ndone"])

    def test_of_a_session_only_what_was_typed(self):
        self.assertEqual(self.texts("```\n$ printf 'a\nb'\na\nb\n$ curl -d q=x http://x/\n{}\n```\n"),
                         ["printf 'a\nb'", "curl -d q=x http://x/"])

    def test_other_blocks_hold_none(self):
        others = "```json\n{}\n```\n```\nruns/\n  config.json\n```\n```python\necho 1\n```\n"
        self.assertEqual(self.texts(others), [])
        with self.assertRaisesRegex(ValueError, "x.md:2.*translate-eval --b"):
            self.texts("```\nfolder/\ntranslate-eval --b\n```\n")

    def test_options_in_brackets_are_left_out_and_given(self):
        self.assertEqual(self.texts("```\ntranslate-eval --a [--split test]\n```\n"),
                         ["translate-eval --a", "translate-eval --a --split test"])

    def test_running_text_holds_whole_commands_alone(self):
        markdown = 'Run `translate-train --config my.json --lint`, or `translate-eval --html`. `translate-infer "A"`.'
        self.assertEqual(self.texts(markdown), ["translate-train --config my.json --lint", 'translate-infer "A"'])
        self.assertEqual(self.texts("`translate-train --config RUN/config.json`"), [])

    def test_a_command_that_fails_is_named(self):
        with tempfile.TemporaryDirectory(prefix="translate-") as folder:
            work = Workspace(pathlib.Path(folder))
            for wrong in ("translate-eval --no-such-option", "printf x | grep y && echo",
                          "for i in 1 2; do grep y /dev/null; done", "translate-infer x | cat",
                          "curl http://127.0.0.1:5000/"):
                if wrong.startswith("curl") and not shutil.which("curl"):
                    continue
                commands = commands_of("x.md", f"```\necho 1\n{wrong}\necho 2\n```\n")
                self.assertEqual(len(commands), 3)
                with self.assertRaisesRegex(AssertionError, "^x.md:3: exit code"):
                    work.run([(command, command.text) for command in commands], lambda command: None)


if __name__ == "__main__":
    unittest.main()
