#!/usr/bin/env python3
"""Tests what tests/benchmark/tagged_text.py measures, without a model."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmark"))
import tagged_text  # noqa: E402


class TaggedTextTest(unittest.TestCase):
    def test_tags_and_text_are_told_apart(self):
        line = 'a &lt;b&gt; <a href="x>y">c</a><!-- <i> --><br/>d < e'
        self.assertEqual(tagged_text.plain(line), "a <b> cd < e")
        self.assertEqual(tagged_text.tags_of(line), ['<a href="x>y">', "</a>", "<!-- <i> -->", "<br/>"])

    def test_balance(self):
        for line in ("", "<b>a</b> <i>b <u>c</u></i>", "a<br> b <img src='x'>", "<!-- <b> -->"):
            self.assertTrue(tagged_text.is_balanced(line), line)
        for line in ("<b>a", "a</b>", "<b>a <i>b</b> c</i>"):
            self.assertFalse(tagged_text.is_balanced(line), line)

    def test_spans_have_the_words_inside(self):
        self.assertEqual(tagged_text.spans_of("See <b>the <i>Red</i> cat,</b> <code>x</code> <i>now</i>."),
                         [("<b>", ["the", "red", "cat"]), ("<i>", ["red"]), ("<i>", ["now"])])

    def test_scores(self):
        self.assertEqual(tagged_text.f1(["a", "b"], ["a", "b"]), 1)
        self.assertEqual(tagged_text.f1(["a", "a"], ["a", "b"]), 0.5)
        self.assertEqual(tagged_text.f1([], ["a"]), 0)
        self.assertEqual(tagged_text.reachable_f1(["x", "a", "b", "y"], ["b", "a"]), 1)
        self.assertEqual(tagged_text.reachable_f1(["x"], ["a"]), 0)

    def test_lines_with_other_tags_count_as_wrong(self):
        spans = tagged_text.Spans()
        spans.add("<b>a</b> b", "<b>c</b> d", "<b>c</b> d")
        spans.add("<b>a</b> b", "<b>c</b> d", "<b>d</b> <b>c</b>")
        spans.add("<b>a</b> b", "<b>d</b> c", "<b>c</b> d")
        self.assertEqual(spans.found, [1, 0, 0])
        self.assertEqual(spans.reachable, [1, 0, 1])


if __name__ == "__main__":
    unittest.main()
