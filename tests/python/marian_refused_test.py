#!/usr/bin/env python3
"""Folders of MarianMT that are wrong, damaged or hostile are refused in one line that names the file, by `--checkpoint` and by
translate-import; nothing of theirs is executed, and nothing is left behind.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either, or without those packages, it is skipped (exit code 77).
TRANSLATE_BIN_DIR: the programs' folder.
"""

import json
import os
import pathlib
import pickle
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("no folder was refused")

environment.require("no folder was refused", "transformers")

import torch  # noqa: E402

import marian_folders  # noqa: E402
import marian_shapes  # noqa: E402
from programs import BIN_DIR, CORPUS  # noqa: E402

CODES = (1, 2)  # a damaged checkpoint; wrong option, configuration or data
ADVICE = 2  # lines of Python that convert a file of weights follow the message about it
LINE = "The cat sat."
INFER = ("--threads", "1", "--precision", "fp32")
MEMORY = 4 << 20  # KiB of address space: a size that a file only claims is no reason to take it


class Touch:
    """Unpickled, it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


class MarianRefused(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="translate-marian-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        for side, language, pieces in (("source", "en", 260), ("target", "fr", 300)):
            lines = (CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()[:800]
            marian_folders.train_pieces(lines, cls.root / f"{side}.spm", pieces)
        for name, shape in (("whole", marian_shapes.Shape(layers=(1, 1))), ("separate", marian_shapes.SHAPES["separate"]),
                            ("pickled", marian_shapes.Shape(layers=(1, 1), pickled=True, positions="sinusoidal"))):  # fmt: skip
            marian_shapes.make(cls.root / name, shape, cls.root)

    def setUp(self):
        self.folder = self.root / "folder"
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def fresh(self, name="whole"):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.root / name, self.folder)
        return self.folder

    def run_program(self, program, *arguments):
        command = ["bash", "-c", f'ulimit -v {MEMORY}; exec "$@"', "-", str(BIN_DIR / program), *map(str, arguments)]
        return subprocess.run(command, cwd=self.root, capture_output=True, encoding="utf-8", errors="replace", timeout=60)

    def assert_refused(self, done, name, pattern):
        messages = [line for line in done.stderr.splitlines() if not re.match(r"\[[0-9:]+\] (info|warning): ", line)]
        self.assertIn(done.returncode, CODES, done)
        self.assertEqual(len(messages) - ("convert it" in messages[0]) * ADVICE, 1, done.stderr)
        self.assertIn(name, messages[0])
        self.assertRegex(messages[0], pattern)
        self.assertEqual(done.stdout, "")

    def refused(self, name, pattern="."):
        """The folder is refused by both programs with one line, which names the file `name` and matches the pattern."""
        infer = self.run_program("translate-infer", *INFER, "--checkpoint", self.folder, LINE)
        self.assert_refused(infer, name, pattern)
        output = self.root / "output"
        self.addCleanup(shutil.rmtree, output, ignore_errors=True)
        self.assert_refused(self.run_program("translate-import", self.folder, output), name, pattern)
        self.assertFalse(output.exists(), "something was left behind")

    def change_json(self, name, changes, of="whole"):
        self.fresh(of)
        self.edit_json(name, changes)

    def edit_json(self, name, changes):
        path = self.folder / name
        value = json.loads(path.read_text(encoding="utf-8"))
        changes(value) if callable(changes) else value.update(changes)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")

    def test_the_folders_themselves_are_accepted(self):
        for name in ("whole", "separate", "pickled"):
            done = self.run_program("translate-infer", *INFER, "--checkpoint", self.root / name, LINE)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_missing_file(self):
        for of, name in (("whole", "config.json"), ("whole", "vocab.json"), ("whole", "source.spm"), ("whole", "target.spm"),
                         ("whole", "model.safetensors"), ("separate", "target_vocab.json")):  # fmt: skip
            with self.subTest(name):
                (self.fresh(of) / name).unlink()
                self.refused(name if name != "config.json" else "folder")

    def test_a_vocabulary_of_another_size_than_the_weights(self):
        def larger(value):
            value["▁another"] = len(value)

        def smaller(value):
            del value[marian_folders.PAD], value[max(value, key=value.get)]
            value[marian_folders.PAD] = len(value)

        for of, name in (("whole", "vocab.json"), ("separate", "vocab.json"), ("separate", "target_vocab.json")):
            for change in (larger, smaller):
                with self.subTest(of=of, name=name, change=change.__name__):
                    self.change_json(name, change, of)
                    ids = json.loads((self.folder / ("target_vocab.json" if of == "separate" else name)).read_text(encoding="utf-8"))
                    self.edit_json("config.json", dict.fromkeys(("pad_token_id", "decoder_start_token_id"), ids[marian_folders.PAD]))
                    self.refused(name, pattern=r"has shape")

    def test_wrong_ids(self):
        def with_id(id):
            return lambda value: value.update({list(value)[10]: id})

        for case, change in {
            "a gap": lambda value: value.pop(list(value)[10]), "twice": with_id(11), "below 0": with_id(-1), "too large": with_id(10**18),
            "no integer": with_id(10.5), "text": with_id("10"), "null": with_id(None), "overflow": with_id(2**64),
            "no end": lambda value: value.update({"other": value.pop("</s>")}),
            "no unk": lambda value: value.update({"other": value.pop("<unk>")}),
            "no pad": lambda value: value.update({"other": value.pop("<pad>")}),
        }.items():  # fmt: skip
            with self.subTest(case):
                self.change_json("vocab.json", change)
                self.refused("vocab.json")

    def test_a_damaged_json_file(self):
        for name in ("vocab.json", "config.json", "generation_config.json", "tokenizer_config.json"):
            whole = (self.root / "whole" / name).read_bytes()
            for case, content in {
                "truncated": whole[: len(whole) // 2], "empty": b"", "a list": b"[1, 2]", "a number": b"7", "null": b"null",
                "deep": b'{"a": ' + b"[" * 1_000_000, "no UTF-8": whole[:-3] + b', "\xff\xfe": 1}',
                "a zero byte": b"\0" + whole,
            }.items():  # fmt: skip
                with self.subTest(name=name, case=case):
                    (self.fresh() / name).write_bytes(content)
                    self.refused(name)

    def test_what_the_model_cannot_be(self):
        for key, value in {
            "normalize_embedding": True, "add_final_layer_norm": True, "static_position_embeddings": False,
            "normalize_before": True, "model_type": "mbart", "activation_function": "tanh", "decoder_start_token_id": 0,
            "eos_token_id": 5, "d_model": 0, "encoder_layers": -1, "decoder_layers": 10**15, "encoder_attention_heads": 2,
            "encoder_ffn_dim": 64, "scale_embedding": "yes", "pad_token_id": 3, "tie_word_embeddings": False, "dropout": 1.5,
        }.items():  # fmt: skip
            with self.subTest(key):
                self.change_json("config.json", {key: value})
                self.refused("config.json", pattern=key)

    def test_sizes_that_the_weights_do_not_have(self):
        for changes in ({"d_model": 128}, {"encoder_ffn_dim": 256, "decoder_ffn_dim": 256}, {"encoder_layers": 2}, {"decoder_layers": 2}):
            with self.subTest(changes):
                self.change_json("config.json", changes)
                self.refused("model.safetensors")
        self.change_json("config.json", {"d_model": 10**9})
        self.refused("", pattern=r"config\.json|model\.safetensors|model\.d_model")

    def test_damaged_safetensors(self):
        whole = (self.root / "whole" / "model.safetensors").read_bytes()
        (length,) = struct.unpack("<Q", whole[:8])
        for case, content in {
            "empty": b"", "seven bytes": whole[:7], "in the header": whole[: length // 2], "header alone": whole[: 8 + length],
            "last byte": whole[:-1], "a long header": struct.pack("<Q", 2**62) + whole[8:], "text": b"model" * 1000,
            "another byte": whole + b"\0",
        }.items():  # fmt: skip
            with self.subTest(case):
                (self.fresh() / "model.safetensors").write_bytes(content)
                self.refused("model.safetensors")

    def test_a_tensor_that_is_missing_or_of_another_shape(self):
        name = "model.decoder.layers.0.encoder_attn.k_proj.weight"
        for case, change in {"missing": None, "shape": lambda value: value[:, 1:].contiguous(), "rank": lambda value: value[None]}.items():
            with self.subTest(case):
                self.change_tensor(name, change)
                self.refused("model.safetensors", pattern=r"encoder_attn\.k_proj|cross_attention_block\.w_k")

    def change_tensor(self, name, change):
        path = self.fresh() / "model.safetensors"
        weights = marian_folders.safetensors.torch.load_file(path)
        value = weights.pop(name)
        weights |= {name: change(value)} if change else {}
        marian_folders.safetensors.torch.save_file(weights, path)

    def test_a_tensor_of_integers(self):
        self.change_tensor("model.decoder.layers.0.encoder_attn.k_proj.weight", lambda value: value.long())
        self.refused("model.safetensors")

    def test_more_layers_than_memory_holds(self):
        self.change_json("config.json", {"encoder_layers": 10**8})
        self.refused("", pattern=r"config\.json|model\.safetensors")

    def test_searches_outside_the_limits_of_the_configuration(self):
        for changes in ({"length_penalty": 1e300}, {"no_repeat_ngram_size": -3}):
            self.change_json("generation_config.json", changes)
            self.refused("generation_config.json", pattern=next(iter(changes)))

    def test_a_pickle_with_code(self):
        marker = self.root / "executed"
        for legacy in (False, True):
            with self.subTest(legacy=legacy):
                path = self.fresh("pickled") / "pytorch_model.bin"
                weights = torch.load(path, weights_only=True)
                torch.save({**weights, "code": Touch(marker)}, path, _use_new_zipfile_serialization=not legacy)
                self.refused("pytorch_model.bin")
        (self.fresh("pickled") / "pytorch_model.bin").write_bytes(pickle.dumps(Touch(marker)))
        self.refused("pytorch_model.bin")
        self.assertFalse(marker.exists(), "code of the file was executed")

    def test_a_damaged_pickle(self):
        whole = (self.root / "pickled" / "pytorch_model.bin").read_bytes()
        for case, content in {"empty": b"", "half": whole[: len(whole) // 2], "text": b"model" * 1000, "end": whole[:-10]}.items():
            with self.subTest(case):
                (self.fresh("pickled") / "pytorch_model.bin").write_bytes(content)
                self.refused("pytorch_model.bin")

    def test_a_damaged_sentencepiece_model(self):
        for name in ("source.spm", "target.spm"):
            whole = (self.root / "whole" / name).read_bytes()
            for case, content in {"empty": b"", "half": whole[: len(whole) // 2 - 3], "text": b"model" * 1000}.items():
                with self.subTest(name=name, case=case):
                    (self.fresh() / name).write_bytes(content)
                    self.refused(name)


if __name__ == "__main__":
    unittest.main()
