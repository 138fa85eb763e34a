#!/usr/bin/env python3
"""Each part of src includes headers of the parts that it may include, and of no others."""

import pathlib
import re
import unittest

SRC = pathlib.Path(__file__).resolve().parents[2] / "src"
TOOLS = ["data", "documents", "eval", "explain", "interop", "serve"]
# What each part may include beside itself. The manual pages are made of all programs.
MAY_INCLUDE = {
    "engine": {"metrics"},
    "metrics": {"engine"},
    "alignment": {"engine"},
    "pairs": {"engine", "detection", "alignment"},
    "detection": {"engine"},
    "trainer": {"engine", "metrics", "alignment", "pairs", "detection"},
    "tools/data": {"engine", "pairs"},
    "tools/documents": {"engine"},
    "tools/eval": {"engine", "metrics"},
    "tools/explain": {"engine", "metrics", "trainer"},
    "tools/interop": {"engine", "metrics"},
    "tools/serve": {"engine", "detection", "tools/documents"},
    "tools/manual": {"engine", "trainer"} | {f"tools/{name}" for name in TOOLS},
}
# Mains that connect parts.
CONNECTING = {("tools/serve/program/translate_serve.cpp", "tools/explain/learn/learn_page.h")}


def part_of(path):
    """engine/core/file.h: engine; tools/serve/http/form.h: tools/serve."""
    folders = path.split("/")
    return "/".join(folders[:2]) if folders[0] == "tools" else folders[0]


def files():
    return [path for path in SRC.rglob("*") if path.suffix in (".h", ".cpp") and path.parent != SRC]


def includes():
    """Each (file, header) of src, where a file names a header of src by its path below engine, trainer or tools."""
    places = {re.sub("^(engine|trainer|tools)/", "", path): path
              for path in (str(path.relative_to(SRC)) for path in files())}
    for file in files():
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE):
            if name in places:
                yield str(file.relative_to(SRC)), places[name]


class Boundaries(unittest.TestCase):
    def test_parts_include_what_they_may(self):
        against = {(file, header) for file, header in includes()
                   if part_of(header) not in MAY_INCLUDE[part_of(file)] | {part_of(file)}} - CONNECTING
        self.assertEqual(against, set(), "includes against the boundaries")

    def test_all_files_are_looked_at(self):
        self.assertGreater(len(list(includes())), 1500)
        self.assertEqual({part_of(str(path.relative_to(SRC))) for path in files()}, set(MAY_INCLUDE))

    def test_no_two_headers_have_one_name(self):
        names = [re.sub("^(engine|trainer|tools)/", "", str(path.relative_to(SRC))) for path in files()]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
