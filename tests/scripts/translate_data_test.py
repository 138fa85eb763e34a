#!/usr/bin/env python3
"""translate-data: what is written, left out, divided and refused. TRANSLATE_BIN_DIR: the programs' folder."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

from programs import train  # noqa: E402

CORPUS = ROOT / "data/en-fr"
DATA = pathlib.Path(os.environ["TRANSLATE_BIN_DIR"]) / "translate-data"
PAIRS = 600  # of the corpus


def corpus(language):
    return (CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()[:PAIRS]


class TranslateDataTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pairs = list(dict.fromkeys(zip(corpus("en"), corpus("fr"))))

    def table(self, name, pairs):
        (self.folder / name).write_text("".join(f"{source}\t{target}\n" for source, target in pairs), encoding="utf-8")

    def read(self, name):
        return [tuple(line.split("\t")) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def run_data(self, *arguments, code=0, stdin=None):
        done = subprocess.run([DATA, *arguments], cwd=self.folder, capture_output=True, text=True, input=stdin or "",
                              check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_bad_pairs_are_left_out_with_their_reasons(self):
        bad = [("The cat sat.", "The cat sat."), ("The dog slept.", ""), ("Born in 1990.", "Born in 1987."),
               ("The <b>cat</b> sat.", "Le <b>chat</b>."),
               ("The dog ran.", "Der Hund lief schnell \u00fcber die gr\u00fcne Wiese nach Hause.")]
        self.table("my.en-fr.tsv", self.pairs + bad)
        said = self.run_data("clean", "my.en-fr.tsv", "--output", "out.tsv").stderr
        self.assertEqual(self.read("out.tsv"), self.pairs)
        left_out = self.read("out.tsv.left-out.tsv")
        self.assertEqual(left_out[0], ("reason", "place", "source", "target"))
        self.assertEqual([(source, target) for _, _, source, target in left_out[1:]], bad)
        self.assertEqual(left_out[1][1], f"my.en-fr.tsv:{len(self.pairs) + 1}")
        self.assertIn(f"{len(bad)} left out", said)
        self.run_data("clean", "my.en-fr.tsv", "--output", "more.tsv", "--allow", "same,numbers")
        self.assertEqual(self.read("more.tsv"), [*self.pairs, bad[0], bad[2]])

    def test_shares_together_are_the_whole(self):
        self.table("my.en-fr.tsv", self.pairs + self.pairs[:100])
        whole = self.run_data("clean", "my.en-fr.tsv").stdout.splitlines()
        self.assertEqual(len(whole), len(self.pairs))
        shares = []
        for number in (1, 2, 3):
            self.run_data("clean", "my.en-fr.tsv", "--shard", f"{number}/3", "--output", "part-{shard}.tsv")
            shares.append((self.folder / f"part-{number}.tsv").read_text(encoding="utf-8").splitlines())
        self.assertEqual(sorted(sum(shares, [])), sorted(whole))
        self.assertTrue(all(shares))

    @unittest.skipUnless((DATA.parent / "translate-train").exists(), "nothing trains here")
    def test_the_share_that_two_models_find_least_likely_is_left_out(self):
        models = []
        for source, target in (("en", "fr"), ("fr", "en")):
            folder = self.folder / source
            folder.mkdir()
            files = {"source": str(CORPUS / f"train.{source}"), "target": str(CORPUS / f"train.{target}")}
            models.append(train(folder, {"vocab_size": 400}, {"d_model": 32, "num_layers": 1, "num_heads": 2, "d_ff": 64},
                                60, data={"train": files}))
        spoilt = [(source, " ".join(reversed(target.split()))) for source, target in self.pairs[:60]]
        self.table("my.en-fr.tsv", spoilt + self.pairs[60:])
        said = self.run_data("clean", "my.en-fr.tsv", "--dual-score", *models, "--dual-share", "0.1", "--output",
                             "out.tsv").stderr
        self.assertIn("dual score", said)
        left_out = self.read("out.tsv.left-out.tsv")[1:]
        self.assertEqual(len(left_out), round(0.1 * len(self.pairs)))
        self.assertEqual({reason for reason, *_ in left_out}, {"among the worst by its score"})
        found = sum((source, target) in spoilt for _, _, source, target in left_out)
        self.assertGreater(found, 0.6 * len(left_out))
        self.run_data("clean", "my.en-fr.tsv", "--dual-score", models[0], code=2)
        self.run_data("clean", "my.en-fr.tsv", "--dual-score", models[0], "missing", code=2)
        self.run_data("clean", "my.en-fr.tsv", "--dual-share", "0.2", code=2)
        self.run_data("convert", "my.en-fr.tsv", "--dual-score", *models, code=2)

    def test_formats_hold_the_same_pairs(self):
        self.table("my.en-fr.tsv", self.pairs)
        self.run_data("convert", "my.en-fr.tsv", "--output", "my.jsonl")
        first = json.loads((self.folder / "my.jsonl").read_text(encoding="utf-8").splitlines()[0])
        self.assertEqual(first, {"translation": {"en": self.pairs[0][0], "fr": self.pairs[0][1]}})
        self.run_data("convert", "my.jsonl", "--output", "text")
        self.run_data("convert", "text.en", "text.fr", "--output", "again.tsv")
        self.assertEqual(self.read("again.tsv"), self.pairs)
        given = (self.folder / "my.jsonl").read_text(encoding="utf-8")
        self.assertEqual(self.run_data("convert", "-", stdin=given).stdout,
                         (self.folder / "again.tsv").read_text(encoding="utf-8"))

    def test_wrong_commands_are_told(self):
        self.table("my.en-fr.tsv", self.pairs)
        for arguments, message in ((["clear", "my.en-fr.tsv"], "clear"),
                                   (["convert", "my.en-fr.tsv", "--shard", "1/2"], "no meaning with convert"),
                                   (["clean", "my.en-fr.tsv", "--allow", "nonsense"], "nonsense"),
                                   (["clean", "other.tsv"], "other.tsv"),
                                   (["clean", "-"], "stdin"),
                                   (["clean", "my.en-fr.tsv", "--shard", "3/2"], "3/2")):
            said = self.run_data(*arguments, code=2).stderr
            self.assertIn(message, said)
            self.assertFalse(list(self.folder.glob("*.partial")))


if __name__ == "__main__":
    unittest.main()
