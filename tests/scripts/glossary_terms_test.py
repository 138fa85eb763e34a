#!/usr/bin/env python3
"""Tests which terms tests/benchmark/glossary_terms.py takes, and what it counts, without a model."""

import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmark"))
import glossary_terms  # noqa: E402

TEXT = [("the black horse sleeps", "le cheval noir dort"), ("the black table", "la table noire"),
        ("the horse runs", "le cheval court"), ("the white horse", "le cheval blanc"),
        ("the white table runs", "la table blanche court"), ("a table", "une table"),
        ("the dog sleeps", "le chien dort"), ("the dog", "le chien"), ("my horse", "mon cheval")]


class GlossaryTermsTest(unittest.TestCase):
    def test_terms_are_words_that_are_each_others_likeliest(self):
        pairs = [(glossary_terms.words_of(source), glossary_terms.words_of(target)) for source, target in TEXT]
        models = glossary_terms.Ibm1(pairs), glossary_terms.Ibm1([(target, source) for source, target in pairs])
        source, target = pairs[0]
        terms = glossary_terms.terms_of(source, target, models, random.Random(1))
        self.assertIn(("horse", "cheval"), terms)
        self.assertNotIn("the", dict(terms))
        self.assertLessEqual(len(terms), 3)

    def test_annotations_stand_around_whole_words(self):
        self.assertEqual(glossary_terms.annotated("Horses and a Horse.", [("horse", "cheval")]),
                         "Horses and a <[> Horse<|> cheval<]>.")

    def test_a_term_stands_where_its_source_is(self):
        translation = {"source": "The horse, (white)", "translation": "Le cheval (blanc)", "alignment": [[1, 1], [1, 2]]}
        self.assertTrue(glossary_terms.is_at_source(translation, "horse", "cheval"))
        self.assertFalse(glossary_terms.is_at_source(translation, "white", "blanc"))


if __name__ == "__main__":
    unittest.main()
