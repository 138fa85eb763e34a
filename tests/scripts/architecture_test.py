#!/usr/bin/env python3
"""Holds docs/architecture.md and docs/decisions against the code: every file that they name is there, every function
stands in its file, and the index of the decisions has all of them."""

import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from linking.symbols import line_of  # noqa: E402

TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
DECISIONS = ROOT / "docs" / "decisions"
MOST_STOPS = 15


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def stops(section: str) -> list[tuple[str, str]]:
    """Files and functions of a walk."""
    return re.findall(r"^\| \d+\. .* \| `([^`]+)` \| `([^`]+)` \|$", section, flags=re.MULTILINE)


class ArchitectureTest(unittest.TestCase):
    def test_files_and_folders_exist(self):
        named = set(re.findall(r"`(src/[\w/.]+)`", TEXT))
        self.assertGreater(len(named), 50)
        missing = sorted(name for name in named if not (ROOT / name).exists())
        self.assertEqual(missing, [])

    def test_decisions_name_files_and_symbols_that_exist(self):
        pages = sorted(DECISIONS.glob("*.md"))
        self.assertGreater(len(pages), 1)
        for page in pages:
            text = page.read_text(encoding="utf-8")
            missing = sorted({name for name in re.findall(r"`((?:src|tests)/[\w/.]+)`", text) if not (ROOT / name).exists()})
            self.assertEqual(missing, [], page.name)
            for symbol, file in re.findall(r"`(\w+)` in\s`((?:src|tests)/[\w/.]+)`", text):
                self.assertIsNotNone(line_of((ROOT / file).read_text(encoding="utf-8"), symbol), f"{page.name}: {symbol}")

    def test_the_index_has_every_decision(self):
        linked = re.findall(r"^\| \[[^\]]+\]\((.+\.md)\)", (DECISIONS / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
        self.assertEqual(sorted(linked), sorted(page.name for page in DECISIONS.glob("*.md") if page.name != "README.md"))

    def test_functions_stand_in_their_files(self):
        for title, section in sections().items():
            for file, function in stops(section):
                with self.subTest(walk=title, function=function):
                    code = (ROOT / file).read_text(encoding="utf-8")
                    self.assertIsNotNone(line_of(code, function), f"{file} has no {function}")

    def test_walks_are_short(self):
        walks = {title: len(stops(section)) for title, section in sections().items() if stops(section)}
        self.assertEqual(len(walks), 3)
        for title, count in walks.items():
            self.assertLessEqual(count, MOST_STOPS, title)

    def test_every_layer_is_in_the_picture(self):
        layers = re.findall(r"^ *translate_add_layer\((\w+)", (ROOT / "src/CMakeLists.txt").read_text(), flags=re.MULTILINE)
        self.assertGreater(len(layers), 30)
        picture = (ROOT / "docs/architecture.svg").read_text(encoding="utf-8")
        self.assertEqual([layer for layer in layers if f">{layer}</text>" not in picture], [])


if __name__ == "__main__":
    unittest.main()
