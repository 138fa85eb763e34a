#!/usr/bin/env python3
"""translate-export, end to end, without the systems that it writes for (tests/python/export_test.py has these): what
each output holds, what is refused and how, and what is replaced. TRANSLATE_BIN_DIR: the programs' folder."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN_DIR = pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build" / "release" / "bin"))
CORPUS = ROOT / "data" / "en-fr"
MODEL = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "num_heads": 2, "d_ff": 16, "tie_embeddings": "all"}
STEPS = 4
LENGTH_BYTES = 8  # before a safetensors header


def run(folder, program, *arguments):
    return subprocess.run(
        [BIN_DIR / program, *map(str, arguments)], cwd=folder, capture_output=True, text=True, encoding="utf-8"
    )


def train(folder, run_dir, languages=("en", "fr"), **model):
    pairs = {
        split: {"source": str(CORPUS / f"{split}.en"), "target": str(CORPUS / f"{split}.fr")}
        for split in ("train", "validation")
    }
    config = {
        "data": pairs | dict(zip(("source_language", "target_language"), languages)),
        "tokenizer": {"vocab_size": 200},
        "model": MODEL | model,
        "training": {"batch_tokens": 300, "max_steps": STEPS, "checkpoint_every": 2, "validate_every": 2},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    done = run(folder, "translate-train", "--config", "config.json", "--run-dir", run_dir, "--threads", "1")
    assert done.returncode == 0, done.stderr


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trained = pathlib.Path(tempfile.mkdtemp(prefix="translate-export-"))
        cls.addClassCleanup(shutil.rmtree, cls.trained, ignore_errors=True)
        train(cls.trained, "runs/a")
        train(cls.trained, "runs/untied", languages=(), tie_embeddings="none")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-export-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "runs").symlink_to(self.trained / "runs")

    def export(self, form, checkpoint, output, *options):
        done = run(self.folder, "translate-export", "--format", form, checkpoint, output, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".tmp")], [])
        return self.folder / output

    def expect_refusal(self, what, form, checkpoint, output, *options, code=2):
        """One line on stderr that holds `what`, and no output."""
        done = run(self.folder, "translate-export", "--format", form, checkpoint, output, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        errors = [line for line in done.stderr.splitlines() if "error: " in line]
        self.assertEqual(len(errors), 1, done.stderr)
        self.assertIn(what, errors[0])
        self.assertEqual(sorted(os.listdir(self.folder)), ["runs"])

    def test_ctranslate2(self):
        out = self.export("ctranslate2", "runs/a/latest", "out")
        names = ["README.md", "config.json", "model.bin", "shared_vocabulary.json", "source.spm", "target.spm"]
        self.assertEqual(sorted(os.listdir(out)), names)
        self.assertTrue((out / "model.bin").read_bytes().startswith(struct.pack("<IH", 6, 16) + b"TransformerSpec\0"))
        self.assertEqual(json.loads((out / "config.json").read_text())["decoder_start_token"], "<s>")

    def test_eight_bits_are_smaller(self):
        full, small = (
            self.export("ctranslate2", "runs/a/latest", name, "--precision", name) for name in ("fp32", "int8")
        )
        self.assertLess((small / "model.bin").stat().st_size, (full / "model.bin").stat().st_size - 8000)

    def test_huggingface(self):
        out = self.export("huggingface", "runs/a/latest", "out/")
        data = (out / "model.safetensors").read_bytes()
        (length,) = struct.unpack("<Q", data[:LENGTH_BYTES])
        header = json.loads(data[LENGTH_BYTES : LENGTH_BYTES + length])
        self.assertEqual(header["__metadata__"], {"format": "pt"})
        self.assertEqual(header["model.shared.weight"]["shape"], [200, 16])
        self.assertEqual(json.loads((out / "config.json").read_text())["model_type"], "pegasus")
        self.assertEqual(len(json.loads((out / "tokenizer.json").read_text())["model"]["vocab"]), 200)

    def test_argos(self):
        out = self.export("argos", "runs/a/latest", "en-fr.argosmodel", "--precision", "int8")
        with zipfile.ZipFile(out) as archive:
            self.assertIsNone(archive.testzip())
            root = "translate-en_fr-1_0/"
            self.assertTrue(all(name.startswith(root) for name in archive.namelist()))
            self.assertEqual(json.loads(archive.read(root + "metadata.json"))["to_name"], "French")
            self.assertTrue(archive.read(root + "model/model.bin"))

    def test_the_card_has_the_score_and_no_folders(self):
        card = (self.export("ctranslate2", "runs/a/best", "out") / "README.md").read_text(encoding="utf-8")
        self.assertIn('language:\n- "en"\n- "fr"\n', card)
        self.assertIn("model-index:", card)
        self.assertIn("(greedy; nrefs:1\\|case:mixed\\|eff:no\\|tok:13a\\|smooth:exp\\|version:2.6.0)", card)
        self.assertIn("`train.en`, `train.fr`", card)
        self.assertNotIn(str(ROOT), card)
        self.assertNotIn(str(self.folder), card)

    def test_each_checkpoint_has_a_card_whose_commands_work(self):
        folder = max((self.folder / "runs/a/checkpoints").iterdir())
        card = (folder / "README.md").read_text(encoding="utf-8")
        self.assertIn(f"\n# a/{folder.name}\n\nA Transformer that translates English to French, written by translate ", card)
        self.assertIn("| updates | 4 |", card)
        self.assertIn("(greedy; nrefs:1\\|case:mixed\\|eff:no\\|tok:13a\\|smooth:exp\\|version:2.6.0)", card)
        self.assertNotIn(str(self.folder), card)
        self.assertIn('\ntranslate-infer --checkpoint . "The cat sat."\n', card)
        done = run(folder, "translate-infer", "--checkpoint", ".", "The cat sat.")
        self.assertEqual(done.returncode, 0, done.stderr)
        for form in ("ctranslate2", "huggingface", "argos"):
            command = re.search(f"\ntranslate-export --format {form} \\. ~/(.*)\n", card)
            done = run(folder, "translate-export", "--format", form, ".", str(self.folder / command.group(1)))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_languages_of_the_command_line(self):
        """They name those that are known from the names of files alone, and spell the others."""
        card = self.export("ctranslate2", "runs/untied/best", "out", "--target-language", "de") / "README.md"
        self.assertIn("translates English to German", card.read_text(encoding="utf-8"))
        card = self.export("huggingface", "runs/a/best", "other", "--target-language", "fr-CA") / "README.md"
        self.assertIn("translates English to French (CA)", card.read_text(encoding="utf-8"))

    def test_a_language_that_the_model_does_not_have(self):
        self.expect_refusal("the model translates English to French", "huggingface", "runs/a/best", "out",
                            "--target-language", "de")

    def test_a_mean_of_checkpoints(self):
        mean, last = (self.export("ctranslate2", f"runs/a/{name}", name) for name in ("average", "latest"))
        self.assertNotEqual((mean / "model.bin").read_bytes(), (last / "model.bin").read_bytes())
        card = (mean / "README.md").read_text(encoding="utf-8")
        self.assertIn("| updates | the mean of several checkpoints, the newest after 4 |", card)
        self.assertNotIn("model-index", card)  # the score is of one checkpoint

    def test_the_same_export_again(self):
        """The same bytes; and only --force replaces it."""
        first = self.export("ctranslate2", "runs/a/latest", "out")
        kept = {file.name: file.read_bytes() for file in first.iterdir()}
        done = run(self.folder, "translate-export", "--format", "ctranslate2", "runs/a/latest", "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("out exists already: choose another name, or replace it with --force", done.stderr)
        again = self.export("ctranslate2", "runs/a/latest", "out", "--force")
        self.assertEqual({file.name: file.read_bytes() for file in again.iterdir()}, kept)

    def test_version_and_formats(self):
        done = run(self.folder, "translate-export", "--version")
        self.assertRegex(done.stdout, r"^translate-export \d+\.\d+\.\d+\n$")
        done = run(self.folder, "translate-export", "--format", "onnx", "runs/a/latest", "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("{ctranslate2,huggingface,argos,marian}", done.stderr)

    def test_refusals(self):
        self.expect_refusal("several models cannot be exported as one", "ctranslate2", "runs/a/latest,runs/a/best", "out")
        self.expect_refusal('model.tie_embeddings "none"', "huggingface", "runs/untied/latest", "out")
        self.expect_refusal("--precision int8 is not supported", "huggingface", "runs/a/latest", "o", "--precision", "int8")
        self.expect_refusal("ends in .argosmodel", "argos", "runs/a/latest", "out.zip")
        self.expect_refusal("train with tokenizer.source_sos false", "marian", "runs/a/latest", "out")
        self.expect_refusal("there is no such folder", "ctranslate2", "runs/a/latest", "no/out")
        self.expect_refusal("no/such", "ctranslate2", "no/such", "out")

    def test_a_language_code_that_leads_elsewhere(self):
        for option in ("--source-language", "--target-language"):
            done = run(self.folder, "translate-export", "--format", "ctranslate2", option, "../../x", "runs/a/latest", "out")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'{option}: expected a language code of letters, digits, \'-\' and \'_\'', done.stderr)
            self.assertEqual(os.listdir(self.folder), ["runs"])

    def test_a_damaged_checkpoint(self):
        checkpoint = sorted((self.trained / "runs" / "a" / "checkpoints").iterdir())[-1]
        copy = self.folder / "runs" / "damaged"
        shutil.copytree(checkpoint, copy)
        self.addCleanup(shutil.rmtree, copy)
        with (copy / "model.safetensors").open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\xff")
        self.expect_refusal("model.safetensors", "ctranslate2", copy, "out", code=1)


if __name__ == "__main__":
    unittest.main()
