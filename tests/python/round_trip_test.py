#!/usr/bin/env python3
"""Weights travel to PyTorch and back: the same sentences get the same translations here and there.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either it is skipped (exit code 77). TRANSLATE_BIN_DIR: the programs' folder.
"""

import dataclasses
import json
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts" / "golden")]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("nothing was compared with PyTorch")

import torch  # noqa: E402

import tutorial  # noqa: E402
from model import ModelOptions, Transformer  # noqa: E402
from programs import test_sentences, train, translate  # noqa: E402
from search import compare, greedy, sentencepiece_side, word_level_side  # noqa: E402

SENTENCES = 50
LEAST_DISTINCT = 10  # translations, lest a model that always says the same passes for compared
SMALL = ModelOptions(d_model=32, num_heads=4, d_ff=64)
ONE_VOCABULARY = {"vocab_size": 400, "shared": True}
TWO_VOCABULARIES = {"vocab_size": 400, "shared": False}


def documented_code(heading):
    """The first block of Python under a heading of docs/pytorch.md: the test runs what the page shows."""
    page = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
    return re.search(rf"^## {re.escape(heading)}$.*?^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]


class RoundTrip(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lines = test_sentences(SENTENCES)

    def load(self, checkpoint, options, source, target):
        """Our weights in a PyTorch model, by the lines of the documentation. Strict: nothing missing or left over."""
        model = Transformer(options, source.size, target.size, source.pad)
        if options.positions == "sinusoidal":
            tutorial.with_position_tables(model, options)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        exec(documented_code("From here to PyTorch"), {"checkpoint": str(checkpoint), "model": model})
        for name, value in model.state_dict().items():
            constant = name.endswith(".pe")
            self.assertEqual(torch.equal(value, before[name]), constant, name)
        return model.eval()

    def same_translations(self, model, source, target, texts, pieces):
        found = [greedy(model, source, target, line) for line in self.lines]
        self.assertGreaterEqual(len(set(texts)), LEAST_DISTINCT)
        ties = compare(self, self.lines, found, texts, pieces, target.piece(target.eos))
        print(f"{self.id()}: {len(texts)} translations, {len(set(texts))} distinct, {ties} near ties", file=sys.stderr)

    def round_trip(self, options, tokenizer, steps=200):
        checkpoint = train(self.folder, tokenizer, dataclasses.asdict(options), steps)
        texts, pieces = translate(self.folder, self.lines, "--checkpoint", checkpoint)
        source, target = (sentencepiece_side(checkpoint / f"{side}.spm") for side in ("source", "target"))
        model = self.load(checkpoint, options, source, target)
        self.same_translations(model, source, target, texts, pieces)
        self.way_back(model, options, checkpoint, (texts, pieces), tokenizer["shared"])

    def way_back(self, model, options, checkpoint, expected, shared):
        """What PyTorch saves, alone and inside a training checkpoint, gives the translations of our checkpoint."""
        (self.folder / "model.json").write_text(json.dumps({"model": dataclasses.asdict(options)}), encoding="utf-8")
        optimizer = torch.optim.Adam(model.parameters())
        model(torch.tensor([[1, 5, 2]]), torch.tensor([[1, 5]])).sum().backward()
        saved = {
            "bare.pt": model.state_dict(),
            "training.pt": {
                "epoch": 0,
                "model_state_dict": {name: value.clone() for name, value in model.state_dict().items()},
                "optimizer_state_dict": optimizer.state_dict(),
                "global_step": 200,
            },
        }
        spm = [str(checkpoint / "source.spm"), str(checkpoint / "target.spm")]
        for name, value in saved.items():
            torch.save(value, self.folder / name)
            files = ",".join(spm[:1] if shared else spm)
            arguments = ("--checkpoint", name, "--config", "model.json", "--tokenizers", files)
            self.assertEqual(translate(self.folder, self.lines, *arguments), expected, name)

    def test_pre_norm_reference_norm_untied(self):
        self.round_trip(SMALL, TWO_VOCABULARIES)

    def test_post_norm_torch_norm_all_tied(self):
        options = dataclasses.replace(SMALL, norm="post", layer_norm="torch", tie_embeddings="all")
        self.round_trip(options, ONE_VOCABULARY, steps=400)

    def test_decoder_tied_learned_positions(self):
        options = dataclasses.replace(
            SMALL, tie_embeddings="decoder", positions="learned", max_positions=258, attention_bias=True
        )
        self.round_trip(options, TWO_VOCABULARIES)

    def test_a_model_of_the_tutorial(self):
        """An older copy of the reference, with its word-level tokenizers: one command translates."""
        model = tutorial.train(self.folder, epochs=4)
        shape = {key: getattr(tutorial.OPTIONS, key) for key in ("d_model", "num_heads", "d_ff")}
        shape |= {"num_layers": tutorial.OPTIONS.encoder_layers}
        (self.folder / "model.json").write_text(json.dumps({"model": shape}), encoding="utf-8")
        arguments = ("--config", "model.json", "--tokenizers", "tokenizer_en.json,tokenizer_fr.json")
        texts, pieces = translate(self.folder, self.lines, "--checkpoint", "tmodel_00.pt", *arguments)
        source, target = (word_level_side(self.folder / f"tokenizer_{side}.json") for side in ("en", "fr"))
        self.same_translations(model.eval(), source, target, texts, pieces)


if __name__ == "__main__":
    unittest.main()
