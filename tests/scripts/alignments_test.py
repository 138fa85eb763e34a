#!/usr/bin/env python3
"""Alignments from training to translating: translate-train trains a head to align, or finds the one that aligns best,
and translate-infer reads alignments from it and says so. TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from programs import BIN_DIR, test_sentences  # noqa: E402

SETTINGS = ["model.d_model=32", "model.d_ff=48", "tokenizer.vocab_size=300", "training.max_steps=6",
            "training.schedule=constant", "training.warmup_steps=2", "training.validate_every=3",
            "training.checkpoint_every=3", "training.log_every=3"]


def run(program, *arguments, text=""):
    """What a program writes to stdout and to stderr."""
    ended = subprocess.run([str(BIN_DIR / program), *map(str, arguments)], input=text, capture_output=True, text=True,
                           timeout=600)
    if ended.returncode != 0:
        raise AssertionError(f"{program} ended with {ended.returncode}:\n{ended.stderr}")
    return ended.stdout, ended.stderr


class AlignmentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="translate-")
        self.addCleanup(folder.cleanup)
        self.run_dir = pathlib.Path(folder.name) / "run"

    def train(self, *settings):
        """What the training logs."""
        arguments = ["--config", ROOT / "configs/en-fr.json", "--run-dir", self.run_dir]
        for setting in [*SETTINGS, *settings]:
            arguments += ["--set", setting]
        return run("translate-train", *arguments)[1]

    def attention(self, key="alignment"):
        """Layer and head that the newest checkpoint names."""
        newest = max((self.run_dir / "checkpoints").glob("step-*"))
        model = json.loads((newest / "config.json").read_text())["model"]
        return model[f"{key}_layer"], model[f"{key}_head"]

    def align(self, *options, checkpoint=None):
        """The alignments of some lines, and what is said of them."""
        out, err = run("translate-infer", "--checkpoint", checkpoint or self.run_dir / "latest", "--alignments",
                       "--beam-size", "1", *options, text="\n".join(test_sentences(5)) + "\n")
        return out.splitlines(), err

    def test_a_head_is_trained_to_align(self):
        log = self.train("training.guided_alignment=auto")
        self.assertRegex(log, r"alignment: \d+ links between the subwords of \d+ pairs")
        self.assertRegex(log, r"step 6 .* alignment \d+\.\d+")
        self.assertRegex(log, r"head 0 of decoder layer 0, one step later has an alignment error rate of 0\.\d+")
        self.assertEqual(self.attention(), (1, 0))
        self.assertEqual(self.attention("input_alignment"), (0, 0))
        self.assertTrue((self.run_dir / "corpus/training.links").is_file())
        reports = [json.loads(line) for line in (self.run_dir / "metrics.jsonl").read_text().splitlines()]
        self.assertTrue(all("alignment_loss" in report for report in reports if report["kind"] == "train"))
        lines, said = self.align()
        self.assertIn("alignments: head 0 of decoder layer 0, one step later", said)
        for line in lines:
            self.assertRegex(line, r" \|\|\| (\d+-\d+( \d+-\d+)*)?$")
        longer = self.train("training.guided_alignment=auto", "training.max_steps=9")
        self.assertIn("using the links", longer)
        self.assertIn("resuming from", longer)

    def test_a_checkpoint_gets_a_copy_that_aligns_by_the_best_head(self):
        self.train("training.guided_alignment=auto", "model.num_heads=2")
        trained = self.run_dir / "checkpoints/step-00000006"
        config = (trained / "config.json").read_bytes()
        corpus = ROOT / "data/en-fr"
        options = ["--alignment-heads", "--checkpoint", trained, "--input", corpus / "validation.en"]
        found = json.loads(run("translate-explain", *options, "--json")[0])
        self.assertEqual([(one["of_input"], one["layer"], one["head"]) for one in found["attention"]],
                         [(of_input, layer, head) for of_input in (False, True) for layer in range(2)
                          for head in (0, 1, None)])
        self.assertEqual(found["best"], min(found["attention"], key=lambda one: one["error_rate"]))
        # On given translations; written into a copy.
        copy = self.run_dir / "copy"
        table, said = run("translate-explain", *options, "--score", "--target", corpus / "validation.fr", "--save", copy)
        self.assertIn("wrote", said)
        best = next(line for line in table.splitlines() if line.split("  ")[-1] == "best" or "  best  " in line)
        model = json.loads((copy / "config.json").read_text())["model"]
        key = "alignment" if model["input_alignment_layer"] is None else "input_alignment"
        named = "the mean" if model[f"{key}_head"] is None else f"head {model[f'{key}_head']} of"
        self.assertTrue(best.startswith(named), best)
        self.assertRegex(best, rf"decoder layer {model[f'{key}_layer']}\b")
        self.assertEqual((trained / "config.json").read_bytes(), config)
        self.assertIn(f"alignments: {best.split('  ')[0].strip()}", self.align(checkpoint=copy)[1])
        for wrong, message in (
            ([*options, "--save", copy], "exists already"),
            (["--alignment-heads", "--checkpoint", f"{self.run_dir}/average:2", *options[3:], "--save", copy / "other"],
             "--save writes"),
            ([*options, "--sampling"], "--sampling has no meaning with --alignment-heads"),
            ([*options[:3], "The cat sat"], "at least 100 lines"),
        ):
            ended = subprocess.run([str(BIN_DIR / "translate-explain"), *map(str, wrong)],
                                   capture_output=True, text=True, timeout=600)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(message, ended.stderr)

    def test_the_head_that_aligns_best_is_found(self):
        self.train()
        layer, head = self.attention()
        self.assertIn(layer, (0, 1))
        self.assertFalse((self.run_dir / "corpus/training.links").exists())
        lines, said = self.align("--json")
        if (of_input := self.attention("input_alignment")) != (None, None):
            layer, head = of_input
        named = f"head {head} of" if head is not None else "the mean of the 4 heads of"
        self.assertIn(f"alignments: {named} decoder layer {layer}", said)
        self.assertTrue(all("alignment" in json.loads(line) for line in lines))

    def test_a_chosen_attention_stays(self):
        self.train("model.alignment_layer=0", "model.alignment_head=2")
        self.assertEqual(self.attention(), (0, 2))
        both = sorted((self.run_dir / "checkpoints").glob("step-*"))[-2:]
        said = self.align(checkpoint=",".join(map(str, both)))[1]
        self.assertEqual(len(re.findall("alignments: head 2 of decoder layer 0 \\(", said)), 2)


if __name__ == "__main__":
    unittest.main()
