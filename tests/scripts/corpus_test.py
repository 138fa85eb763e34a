#!/usr/bin/env python3
"""The embedded corpus keeps its promises, and the check behind `scripts/make-corpus --check` sees them broken."""

import copy
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from corpus.build import key, words  # noqa: E402
from corpus.check import Failures, check, check_files, read_parts  # noqa: E402
from corpus.conjugation import french_verb  # noqa: E402
from corpus.french import join  # noqa: E402

FOLDER = ROOT / "data" / "en-fr"


def broken(part, line, english, french):
    """The failures after one pair of the tracked files is replaced."""
    parts = copy.deepcopy(read_parts(FOLDER))
    parts[part][0][line], parts[part][1][line] = english, french
    failures = Failures()
    check_files(parts, failures)
    return "\n".join(failures)


class CorpusTest(unittest.TestCase):
    """On the tracked files."""

    def test_all_promises_are_kept(self):
        self.assertEqual(check(FOLDER), [])

    def test_a_leak_of_test_into_train_is_seen(self):
        english, french = (side[0] for side in read_parts(FOLDER)["test"])
        self.assertIn("English sentence of train", broken("train", 5, english.upper().rstrip("."), french))

    def test_the_sentence_kept_out_is_seen(self):
        self.assertIn("kept out", broken("train", 5, "The cat sat", "Le chat s'est assis"))

    def test_an_unknown_word_in_the_test_set_is_seen(self):
        self.assertIn("times in train", broken("test", 0, "The zebra sat.", "Le zèbre s'est assis."))

    def test_wrong_elision_and_contraction_are_seen(self):
        for french in ("Le ours dort.", "Il va à le lac.", "Le vieux homme dort.", "L'hibou dort.", "Je aime Anna.",
                       "Si il dort.", "Il parle de les lacs.", "Dort-il?"):
            self.assertIn("misspelt", broken("train", 5, "The dog is here.", french), french)

    def test_unequal_endings_and_decomposed_letters_are_seen(self):
        self.assertIn("end differently", broken("train", 5, "The dog is here", "Le chien est ici."))
        self.assertIn("normal form C", broken("train", 5, "The dog is here.", "L'e\u0301cole est ici."))


class FrenchTest(unittest.TestCase):
    """Spelling rules, apart from any sentence of the corpus."""

    def test_elision_comes_before_contraction(self):
        for spoken, written in (("de le roi", "du roi"), ("à le hôpital", "à l'hôpital"), ("de le héros", "du héros"),
                                ("de les enfants", "des enfants"), ("à les amis", "aux amis"),
                                ("que il ne a pas", "qu'il n'a pas"), ("si il pleut", "s'il pleut"),
                                ("beaucoup de yeux", "beaucoup de yeux"), ("si elle dort", "si elle dort")):
            self.assertEqual(join(spoken.split()), written)

    def test_participles_agree(self):
        self.assertEqual([french_verb("asseoir").agreed_participle(gender, number)
                          for gender in "mf" for number in "sp"], ["assis", "assis", "assise", "assises"])
        self.assertEqual(french_verb("manger").present["nous"], "mangeons")
        self.assertEqual(french_verb("appeler").future["ils"], "appelleront")

    def test_keys_forget_case_spaces_and_final_punctuation_only(self):
        self.assertEqual(key("The cat  Sat."), key("the cat sat"))
        self.assertNotEqual(key("L'a-t-il vu ?"), key("La t'il vu"))
        self.assertEqual(words("Alice's dog doesn't hear l'école"),
                         ["alice", "'s", "dog", "doesn't", "hear", "l'", "école"])


if __name__ == "__main__":
    unittest.main()
