#!/usr/bin/env python3
"""scripts/diversify does what it says, with models trained for a moment on some of the embedded corpus.
TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

from programs import BIN_DIR, CORPUS, run  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

PAIRS = {"train": 60, "validation": 8}


class DiversifyTest(unittest.TestCase):
    """One folder and one whole run for all tests: it is what takes time."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="translate-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        for split, count in PAIRS.items():
            for language in ("en", "fr"):
                lines = list(read_lines(CORPUS / f"{split}.{language}"))[:count]
                write_lines(cls.folder / f"{split}.{language}", lines)
                for part in (0, 1):
                    write_lines(cls.folder / f"{split}-{part}.{language}", lines[part * count // 2:][:count // 2])
        files = {"train": {"source": "train-*.en", "target": "train-*.fr"},
                 "validation": {"source": "validation.en", "target": "validation.fr"}}
        training = {"batch_tokens": 200, "max_steps": 150, "schedule": "constant", "warmup_steps": 2,
                    "learning_rate": 0.01, "validate_every": 50, "checkpoint_every": 50}
        config = {"data": {**files, "source_language": "en", "target_language": "fr"}, "tokenizer": {"vocab_size": 120},
                  "model": {"d_model": 32, "num_layers": 1, "num_heads": 4, "d_ff": 48, "init": "scaled"},
                  "decoding": {"max_length": 12}, "training": training}
        (cls.folder / "my.json").write_text(json.dumps(config), encoding="utf-8")
        cls.output, cls.told = cls.diversify(*cls.usual)

    usual = ("--config", "my.json", "--teachers", 2, "--seeds", "4,5", "--drawn", 3, "--student",
             "model.dropout=0.25", "--jobs", 2)

    @classmethod
    def diversify(cls, *arguments, code=0):
        rest = [] if "--" in arguments else ["--"]
        command = [sys.executable, ROOT / "scripts" / "diversify", "--bin-dir", BIN_DIR, *arguments, *rest, "--threads", 1]
        done = subprocess.run(list(map(str, command)), cwd=cls.folder, capture_output=True, text=True)
        if done.returncode != code:
            raise AssertionError(f"exit code {done.returncode}, not {code}:\n{done.stderr}")
        return done.stdout, done.stderr

    def config_of(self, name):
        return json.loads((self.runs / name / "config.json").read_text(encoding="utf-8"))

    def pairs_of(self, name):
        sides = [read_lines(self.runs / name / f"{side}.gz") for side in ("source", "target")]
        return list(zip(*sides, strict=True))

    @property
    def runs(self):
        return self.folder / "runs" / "diverse-my"

    def test_each_run_is_in_the_table(self):
        names = [line.split()[0] for line in self.output.splitlines()]
        self.assertEqual(names, ["run", "teacher-1", "teacher-2", "reverse", "student-4", "student-5"])

    def test_teachers_differ_in_the_seed_alone(self):
        first, second = self.config_of("teacher-1"), self.config_of("teacher-2")
        self.assertEqual((first["training"].pop("seed"), second["training"].pop("seed")), (1, 2))
        first.pop("run_dir"), second.pop("run_dir")
        self.assertEqual(first, second)

    def test_the_reverse_model_reads_the_target_language(self):
        data = self.config_of("reverse")["data"]
        self.assertTrue(data["validation"][0]["source"].endswith("validation.fr"))
        self.assertTrue(data["validation"][0]["target"].endswith("validation.en"))
        for part in (0, 1):
            self.assertTrue(data["train"][0]["source"][part].endswith(f"train-{part}.fr"))
            self.assertTrue(data["train"][0]["target"][part].endswith(f"train-{part}.en"))
        self.assertEqual((data["source_language"], data["target_language"]), ("fr", "en"))

    def test_each_model_writes_its_side(self):
        english, french = ([*read_lines(self.folder / f"train.{language}")] for language in ("en", "fr"))
        self.assertLessEqual({source for source, _ in self.pairs_of("distilled")}, set(english))
        checkpoints = ",".join(str(self.runs / f"teacher-{each}" / "best") for each in (1, 2))
        said = run(self.folder, "translate-infer", "--checkpoint", checkpoints, "--raw", text="\n".join(english)).split("\n")
        self.assertLessEqual(set(self.pairs_of("distilled")), set(zip(english, said)))
        for name in ("back", "drawn"):
            self.assertLessEqual({target for _, target in self.pairs_of(name)}, set(french))
        self.assertGreater(len(self.pairs_of("drawn")), len(self.pairs_of("back")))
        self.assertLessEqual({source for source, _ in self.pairs_of("taught")},
                             {source for source, _ in self.pairs_of("drawn")})

    def test_students_read_everything_with_the_teachers_vocabulary(self):
        student = self.config_of("student-4")
        self.assertEqual(student["model"]["dropout"], 0.25)
        self.assertEqual(student["training"]["seed"], 4)
        real, *made = student["data"]["train"]
        self.assertEqual([pathlib.Path(each["source"]).parent.name for each in made], ["distilled", "back", "taught"])
        self.assertEqual([pathlib.Path(each).name for each in real["source"]], ["train-0.en", "train-1.en"])
        folders = [self.runs / name / "checkpoints" / "step-00000150" for name in ("student-4", "teacher-1")]
        for side in ("source.spm", "target.spm"):
            self.assertEqual(*((folder / side).read_bytes() for folder in folders))

    def test_the_commands_that_are_named_at_the_end_work(self):
        end = self.told[self.told.index("diversify: next: ") + len("diversify: next: "):]
        evaluate, rerank = end.split(", or with a second opinion:\n")
        for command in (evaluate, rerank):
            done = subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stderr}")
            self.assertIn("bleu", done.stdout.lower())

    def test_students_and_teachers_translate_together(self):
        both = ",".join(str(self.runs / name / "best") for name in ("student-4", "teacher-1"))
        run(self.folder, "translate-infer", "--checkpoint", both, text="The cat sat\n")

    def test_nothing_is_done_twice(self):
        before = {path: path.stat().st_mtime_ns for path in self.runs.rglob("*.safetensors")}
        output, told = self.diversify(*self.usual)
        self.assertEqual(output, self.output)
        self.assertEqual(told.count("done before"), 5)
        self.assertEqual(told.count("made before"), 4)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.runs.rglob("*.safetensors")}, before)

    def test_what_is_wrong_is_said(self):
        def told(*arguments, code=2):
            return self.diversify("--config", "my.json", "--output", "wrong", *arguments, code=code)[1]

        self.assertIn("each once", told("--seeds", "1,1"))
        self.assertIn("expected KEY=VALUE", told("--student", "dropout"))
        self.assertIn("students have --seeds", told("--student", "training.seed=3"))
        self.assertIn("same model.dropout", told("--student", "model.dropout=0.1", "--", "--set", "model.dropout=0.2"))
        self.assertIn("from 1 to 100", told("--teachers", 0))
        self.assertIn("nosuch.json", self.diversify("--config", "nosuch.json", code=2)[1])
        config = json.loads((self.folder / "my.json").read_text(encoding="utf-8"))
        config["data"]["validation"] = {"fraction": 0.2}
        (self.folder / "held.json").write_text(json.dumps(config), encoding="utf-8")
        self.assertIn("data.validation: expected files", self.diversify("--config", "held.json", code=2)[1])
        self.assertFalse((self.folder / "wrong").exists())


if __name__ == "__main__":
    unittest.main()
