#!/usr/bin/env python3
"""An exported model gives the same text elsewhere: models of varied shapes, trained briefly on the embedded corpus, are
exported, and the translations of CTranslate2 are compared with ours. Different texts whose scores are within 1e-4 of
each other are near ties, which are counted and printed; anything else is a failure. Skipped (exit code 77) without the
packages of `scripts/setup --python`. TRANSLATE_BIN_DIR: the programs' folder."""

import importlib.util
import io
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "benchmark")]
import environment  # noqa: E402

NEEDED = ("ctranslate2", "sentencepiece")

if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    environment.enter("exports were not compared with other systems")
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        print(f"SKIPPED: exports were not compared: {sys.executable} lacks {', '.join(missing)}.")
        sys.exit(environment.SKIPPED)

import ctranslate2  # noqa: E402
import sentencepiece  # noqa: E402

from peer.ctranslate2_model import OurConverter  # noqa: E402
from programs import run_program, test_sentences, train  # noqa: E402

SENTENCES = int(os.environ.get("TRANSLATE_EXPORT_SENTENCES", "100"))
STEPS = 300
NEAR_TIE = 1e-4
MAX_LENGTH = 60
LEAST_DISTINCT = 20  # translations, lest a model that always says the same passes for compared
BPE = {"type": "bpe", "vocab_size": 400, "shared": True}
SMALL = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "num_heads": 4, "d_ff": 64}
SMALL |= {"dropout": 0.0, "layer_norm": "torch", "init": "scaled"}


def export(checkpoint, output, form, *options):
    """Runs translate-export, which has no --threads."""
    return run_program("translate-export", "--format", form, str(checkpoint), str(output), *options)


def read_model(file):
    """(variables, aliases) of a model.bin: the dimensions, the type and the bytes of each variable by its name."""
    data = io.BytesIO(file.read_bytes())

    def number(kind):
        return struct.unpack("<" + kind, data.read(struct.calcsize(kind)))[0]

    def text():
        return data.read(number("H"))[:-1].decode()

    def variable():
        dims = [number("I") for _ in range(number("B"))]
        return dims, number("B"), data.read(number("I"))

    assert (number("I"), text(), number("I")) == (6, "TransformerSpec", 7)
    variables = {text(): variable() for _ in range(number("I"))}
    aliases = {text(): text() for _ in range(number("I"))}
    assert not data.read()
    return variables, aliases


class CTranslate2:
    """A folder of CTranslate2, with SentencePiece as the folder has it."""

    def __init__(self, folder):
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm")) for side in ("source", "target")
        )
        self.translator = ctranslate2.Translator(str(folder), intra_threads=1)

    def translate(self, lines, beam):
        """(text, score) of each line. The search is exact as ours: no length penalty, and eos may come first."""
        pieces = self.source.encode(lines, out_type=str)
        search = {"beam_size": beam, "length_penalty": 0, "min_decoding_length": 0, "max_decoding_length": MAX_LENGTH}
        found = self.translator.translate_batch(pieces, return_scores=True, **search)
        return [(self.target.decode(each.hypotheses[0]), each.scores[0]) for each in found]


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-export-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lines = test_sentences(SENTENCES)

    def train(self, tokenizer=None, steps=STEPS, **model):
        """A checkpoint whose translations may be as long as elsewhere."""
        decoding = {"max_length_ratio": 100, "max_length": MAX_LENGTH}
        return train(self.folder, BPE | (tokenizer or {}), SMALL | model, steps, decoding=decoding)

    def our_translations(self, checkpoint, lines, beam, *options):
        """(text, score) of each line."""
        arguments = ["--checkpoint", checkpoint, "--json", "--precision", "fp32", "--threads", 1, "--no-split"]
        arguments += ["--beam-size", beam, *(options or ("--length-penalty", 0))]
        output = run_program("translate-infer", *arguments, text="".join(line + "\n" for line in lines))
        found = [json.loads(line) for line in output.splitlines()]
        return [(each["translation"], each["score"]) for each in found]

    def expect_same(self, checkpoint, theirs, what, beams=(1, 4), lines=None):
        """`theirs`: a function of lines and a beam size that gives (text, score) of each line."""
        lines = lines or self.lines
        for beam in beams:
            ours = self.our_translations(checkpoint, lines, beam)
            pairs = list(zip(ours, theirs(lines, beam), strict=True))
            different = [(a, b) for a, b in pairs if a[0] != b[0]]
            ties = [(a, b) for a, b in different if abs(a[1] - b[1]) < NEAR_TIE]
            print(f"{what}, beam {beam}: {len(pairs) - len(different)} of {len(pairs)} equal, {len(ties)} near ties")
            for a, b in ties:
                print(f"  near tie: {a[0]!r} ({a[1]:.5f}), there {b[0]!r} ({b[1]:.5f})")
            self.assertEqual([pair for pair in different if pair not in ties], [], what)
            self.assertGreater(len({text for (text, _), _ in pairs}), LEAST_DISTINCT)

    def expect_same_in_ctranslate2(self, checkpoint, what):
        out = self.folder / "ct2"
        export(checkpoint, out, "ctranslate2", "--force")
        self.expect_same(checkpoint, CTranslate2(out).translate, f"CTranslate2, {what}")


class ToCTranslate2(ExportTest):
    def test_pre_norm_all_tied(self):
        self.expect_same_in_ctranslate2(self.train(tie_embeddings="all"), "pre-norm, all tied")

    def test_post_norm_untied_two_vocabularies(self):
        model = {"norm": "post", "attention_bias": True, "encoder_layers": 1, "activation": "gelu"}
        checkpoint = self.train({"shared": False, "type": "unigram"}, **model)
        self.expect_same_in_ctranslate2(checkpoint, "post-norm, untied, unigram")

    def test_reference_norms(self):
        for norm in ("pre", "post"):
            model = {"layer_norm": "reference", "norm": norm, "tie_embeddings": "decoder"}
            self.expect_same_in_ctranslate2(self.train(**model), f"{norm}-norm, reference norms, decoder tied")
            shutil.rmtree(self.folder / "run")

    def test_learned_positions(self):
        checkpoint = self.train(positions="learned", max_positions=258, activation="swish", embedding_scale=False)
        self.expect_same_in_ctranslate2(checkpoint, "learned positions")

    def test_no_positions(self):
        self.expect_same_in_ctranslate2(self.train(positions="none"), "no positions")

    def test_eight_bits_are_those_of_their_converter(self):
        """Every matrix has the numbers and factors that CTranslate2's own rounding gives."""
        checkpoint = self.train({"shared": False}, steps=20, tie_embeddings="decoder", attention_bias=True)
        export(checkpoint, self.folder / "ours", "ctranslate2", "--precision", "int8")
        OurConverter(checkpoint).convert(str(self.folder / "theirs"), quantization="int8")
        ours, theirs = (read_model(self.folder / name / "model.bin") for name in ("ours", "theirs"))
        self.assertEqual(ours[1], theirs[1])  # aliases
        self.assertEqual(ours[0].keys(), theirs[0].keys())
        different = [name for name, variable in ours[0].items() if theirs[0][name] != variable]
        # Their table of sinusoids is rounded elsewhere, and they forbid nothing.
        self.assertEqual(different, ["decoder/position_encodings/encodings", "decoder/projection/bias"])
        self.assertGreater(sum(len(dims) == 2 and kind == 1 for dims, kind, _ in ours[0].values()), 20)
        for side in ("source.spm", "target.spm"):
            shutil.copy(checkpoint / side, self.folder / "theirs")
        texts = [text for text, _ in CTranslate2(self.folder / "ours").translate(self.lines, 1)]
        self.assertEqual(texts, [text for text, _ in CTranslate2(self.folder / "theirs").translate(self.lines, 1)])

    def test_a_wrong_weight_is_seen(self):
        """The comparison tells models apart that differ in one norm."""
        from safetensors.numpy import load_file, save_file

        checkpoint = self.train(tie_embeddings="all")
        ours = self.our_translations(checkpoint, self.lines, 1)
        weights = load_file(checkpoint / "model.safetensors")
        weights["decoder.norm.alpha"][::2] *= 2
        save_file(weights, self.folder / "changed.safetensors")
        spm = f"{checkpoint / 'source.spm'},{checkpoint / 'target.spm'}"
        config = ["--config", str(self.folder / "config.json"), "--tokenizers", spm]
        export(self.folder / "changed.safetensors", self.folder / "ct2", "ctranslate2", *config)
        theirs = CTranslate2(self.folder / "ct2").translate(self.lines, 1)
        self.assertLess(sum(a[0] == b[0] for a, b in zip(ours, theirs, strict=True)), len(ours) // 2)


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
