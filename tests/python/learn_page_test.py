#!/usr/bin/env python3
"""The pages of `translate-explain --learn` compute what the program computes: for small models of all kinds, node runs
the code of the page, without a browser, and compares subwords, every stage, every step and the translation with
`--explain --json`, and the subwords of more text with `--score --json` (learn_page_numbers.mjs). Skipped without node.
TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import environment
from programs import CORPUS, run, test_sentences, train

NUMBERS = pathlib.Path(__file__).with_name("learn_page_numbers.mjs")
EXPLAINED = 6  # sentences whose every number is compared
SPLIT = 120  # lines of each language whose subwords are compared
SMALL = {"d_model": 32, "num_layers": 2, "num_heads": 4, "d_ff": 48, "dropout": 0.0}
# Text that normalisation changes or that the vocabularies lack.
ODD = [
    "  Two  spaces,\u00a0a no-break space\u3000and an ideographic one. ",
    "ﬁne ligatures, ＦＵＬＬ width, ½ and ², a combined e\u0301 and o\u0308.",
    "A ▁mark▁ of SentencePiece ▁ and a soft\u00adhyphen, zero\u200bwidth.",
    "漢字かな交じり文 and emoji 🙂🇫🇷 👩‍💻, Ελληνικά, עברית.",
    "l'été, l’été… «déjà» – “quoted” 3.14159 100% <s> </s> <unk> [SOS] &amp;",
    "MiXeD cAsE_with_underscores and-hyphens/slashes\\backslashes",
]


def word_level_tokenizer(folder):
    """A tokenizer of whole words, as the package `tokenizers` writes it: the words of some lines of the corpus."""
    text = " ".join((CORPUS / f"train.{language}").read_text(encoding="utf-8")[:20000] for language in ("en", "fr"))
    for mark in ".,?!'-":
        text = text.replace(mark, f" {mark} ")
    words = ["[UNK]", "[PAD]", "[SOS]", "[EOS]", *sorted(set(text.split()))]
    frame = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    model = {"type": "WordLevel", "vocab": {word: index for index, word in enumerate(words)}, "unk_token": "[UNK]"}
    path = folder / "words.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
                                "model": model} | frame), encoding="utf-8")
    return {"source_model": str(path)}


class LearnPage(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)

    def write(self, name, lines):
        (self.folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def infer(self, *arguments):
        return run(self.folder, "translate-infer", "--run-dir", "run", *arguments)

    def explain(self, *arguments):
        return run(self.folder, "translate-explain", "--run-dir", "run", *arguments)

    def check(self, tokenizer, model):
        train(self.folder, tokenizer, SMALL | model, steps=40)
        self.explain("--learn", "page.html", "--max-length", "40", "The cat sat.")
        self.write("explained.en", test_sentences(EXPLAINED))
        limits = ("--max-length", "40", "--layer", str((SMALL | model)["num_layers"] - 1))
        explained = self.explain("--json", *limits, "--input", "explained.en")
        self.write("explained.jsonl", explained.split("\n")[:-1])
        lines = [line for language in ("en", "fr")
                 for line in (CORPUS / f"test.{language}").read_text(encoding="utf-8").split("\n")[:SPLIT]]
        self.write("split.txt", lines + ODD)
        scored = self.infer("--score", "--json", "--input", "split.txt", "--target", "split.txt")
        self.write("split.jsonl", scored.split("\n")[:-1])
        command = ["node", NUMBERS, "page.html", "explained.jsonl", "split.jsonl"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, encoding="utf-8")
        print(f"{self.id().split('.')[-1]}: {done.stdout.strip()}", file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(lines + ODD)} texts split", done.stdout)

    def test_pre_norm_and_bpe(self):
        self.check({"type": "bpe", "vocab_size": 400}, {"tie_embeddings": "all"})

    def test_post_norm_and_unigram(self):
        self.check({"type": "unigram", "vocab_size": 300, "shared": False},
                   {"norm": "post", "layer_norm": "torch", "layer_norm_epsilon": 1e-5, "attention_bias": True,
                    "activation": "gelu", "positions": "learned", "max_positions": 400, "tie_embeddings": "decoder",
                    "embedding_scale": False})

    def test_bytes_and_the_positions_of_tensor2tensor(self):
        self.check({"type": "bpe", "vocab_size": 500, "byte_fallback": True, "normalization": "identity",
                    "character_coverage": 0.99},
                   {"sinusoid_layout": "halves", "sinusoid_frequencies": "tensor2tensor", "zero_start": True,
                    "activation": "swish", "layer_norm": "rms"})

    def test_unigram_with_bytes(self):
        self.check({"type": "unigram", "vocab_size": 600, "byte_fallback": True, "normalization": "nfkc"},
                   {"num_layers": 1})

    def test_characters_without_positions(self):
        self.check({"type": "char", "vocab_size": 80}, {"num_layers": 1, "positions": "none"})

    def test_words_of_sentencepiece(self):
        self.check({"type": "word", "vocab_size": 700}, {"num_layers": 1})

    def test_words_of_a_json_file(self):
        self.check(word_level_tokenizer(self.folder), {"num_layers": 1, "norm": "post"})


if __name__ == "__main__":
    if shutil.which("node") is None:
        environment.skip("node is not installed; the computation of pages of --learn was not checked")
    unittest.main()
