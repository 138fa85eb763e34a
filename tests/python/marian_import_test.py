#!/usr/bin/env python3
"""A folder of MarianMT gives the same results here and in Hugging Face's transformers: log-probabilities of given translations,
greedy search and beam search, on twenty models of random weights that differ in shape, vocabularies and files.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either, or without those packages, it is skipped (exit code 77).
TRANSLATE_BIN_DIR: the programs' folder.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("nothing was compared with transformers")

environment.require("nothing was compared with transformers", "transformers")

import torch  # noqa: E402

import marian_folders  # noqa: E402
import marian_reference  # noqa: E402
import marian_shapes  # noqa: E402
from marian_reference import Search  # noqa: E402
from programs import CORPUS, run, run_program  # noqa: E402

SENTENCES = 20
LIMIT = 24  # subwords of a translation
SEARCHES = (Search(1, LIMIT), Search(4, LIMIT), Search(4, LIMIT, no_repeat=2))
MOST_TIES = 2  # of SENTENCES: near ties are rare
LEAST_DISTINCT = 8  # translations, lest a model that always gives the same passes for compared
ODD = (  # normalised by SentencePiece, and with characters that no piece has
    "  Two  spaces, a full-width Ａ, ½ and ﬁ in one line  ",
    "a non-breaking\u00a0space, e\u0301 and \x07 in one line",
    "日本 is written “Ça va ?” — 5 & 6 = 11 … 🙂 in the garden",
)


def corpus(part, language, count):
    return (CORPUS / f"{part}.{language}").read_text(encoding="utf-8").splitlines()[:count]


class MarianImport(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-marian-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        marian_folders.train_pieces(corpus("train", "en", 800), cls.folder / "source.spm", 260)
        marian_folders.train_pieces(corpus("train", "fr", 800), cls.folder / "target.spm", 300)
        cls.lines = [*corpus("test", "en", SENTENCES - len(ODD)), *ODD]
        cls.targets = corpus("test", "fr", SENTENCES)

    def made(self, name):
        """(folder, the sentences to translate with it)."""
        shape = marian_shapes.SHAPES[name]
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / name.replace(" ", "-")
        marian_shapes.make(folder, shape, self.folder)
        tags = [shape.languages[i % len(shape.languages)] + " " if shape.languages else "" for i in range(SENTENCES)]
        return folder, [tag + line for tag, line in zip(tags, self.lines)]

    def infer(self, *arguments, text):
        options = ["--no-split", "--raw", "--json", "--precision", "fp32", *arguments]
        output = run(self.folder, "translate-infer", *options, text="".join(line + "\n" for line in text))
        return [json.loads(line) for line in output.splitlines()]

    def same_probabilities(self, reference, folder, lines):
        pairs = [f"{line}\t{target}" for line, target in zip(lines, self.targets)]
        found = self.infer("--checkpoint", folder, "--score", text=pairs)
        ids = reference.target_ids(self.targets)
        for item, target, expected in zip(found, ids, reference.log_probabilities(lines, ids), strict=True):
            self.assertEqual(len(item["token_scores"]), len(target), item)
            largest = max(abs(a - b) for a, b in zip(item["token_scores"], expected))
            self.assertLess(largest, marian_reference.NEAR_TIE, item)

    def search(self, folder, lines, search):
        return self.infer("--checkpoint", folder, *search.options(), text=lines)

    def same_searches(self, reference, folder, lines):
        ends = 0
        for search in SEARCHES:
            found = self.search(folder, lines, search)
            ends += sum(not item["truncated"] for item in found)
            result = marian_reference.compare(reference, lines, found, search)
            self.assertEqual(result.wrong, [], search)
            self.assertLessEqual(result.ties, MOST_TIES, search)
            self.assertGreaterEqual(len({item["translation"] for item in found}), LEAST_DISTINCT, search)
            print(f"{folder.name}: {search}: {result.equal} equal, {result.ties} near ties", file=sys.stderr)
        self.assertGreater(ends, 0, "no translation came to an end")

    def same_results(self, name):
        folder, lines = self.made(name)
        reference = marian_reference.Reference(folder)
        self.same_probabilities(reference, folder, lines)
        self.same_searches(reference, folder, lines)

    def test_a_converted_checkpoint_gives_the_results_of_its_folder(self):
        for name in ("languages", "separate untied lacking", "other positions"):
            with self.subTest(name):
                folder, lines = self.made(name)
                output = folder.parent / "converted"
                run_program("translate-import", folder, output)
                expected = self.search(folder, lines, SEARCHES[1])
                shutil.rmtree(folder)
                self.assertEqual(self.search(output, lines, SEARCHES[1]), expected)

    def test_the_option_puts_the_tag_of_a_multilingual_model(self):
        folder, lines = self.made("languages")
        plain = self.lines[:6]
        for code, tag in (("fr", ">>fra<<"), ("deu", ">>deu<<"), ("zlm_Latn", ">>zlm_Latn<<")):
            expected = self.infer("--checkpoint", folder, text=[f"{tag} {line}" for line in plain])
            found = self.infer("--checkpoint", folder, "--target-language", code, text=plain)
            for item, other, line in zip(found, expected, plain, strict=True):
                self.assertEqual((item["translation"], item["score"]), (other["translation"], other["score"]), code)
                self.assertEqual(item["source"], line)
        self.assertNotEqual(self.infer("--checkpoint", folder, "--target-language", "de", text=plain), found)
        with self.assertRaisesRegex(AssertionError, "exit code 2\\n.* fra .French., deu .German., zlm_Latn"):
            self.infer("--checkpoint", folder, "--target-language", "it", text=plain)

    def test_a_model_that_was_trained_in_transformers(self):
        """For some seconds, by the scripts that train and compare one in earnest."""
        folder = self.folder / "trained"
        for script in (["train_marian.py", CORPUS, folder, "--minutes", "0.1", "--pieces", "300"],
                       ["compare_marian.py", folder, CORPUS / "test.en", "--reference", CORPUS / "test.fr", "--count", "30",
                        "--limit", "20"]):  # fmt: skip
            done = subprocess.run([sys.executable, HERE / script[0], *map(str, script[1:])], capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^\| greedy \| 30 \| \d+ \| \d+ \| 0 \|")


def test_of(name):
    return lambda self: self.same_results(name)


for name in marian_shapes.SHAPES:
    setattr(MarianImport, f"test_{name.replace(' ', '_').replace('-', '_')}", test_of(name))


if __name__ == "__main__":
    unittest.main()
