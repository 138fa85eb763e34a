#!/usr/bin/env python3
"""translate-train trains teachers, lets them write, and trains students of what they wrote, with models trained for a
moment on some of the embedded corpus. TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

from programs import BIN_DIR, CORPUS, run, run_program  # noqa: E402
from translating.programs import sentence_scores  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

PAIRS = {"train": 60, "validation": 8}
SETTINGS = ("--set", "distillation.teachers=2", "--set", "distillation.drawn=3", "--set",
            'distillation.student={"model.dropout": 0.25}')


def written(folder):
    """The pairs of a corpus that models have written."""
    return list(zip(*(read_lines(folder / f"{side}.txt") for side in ("source", "target")), strict=True))


class DistillationTest(unittest.TestCase):
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
        cls.student = cls.folder / "runs/my"
        cls.parts = cls.student / "distillation"
        cls.told = cls.train(*SETTINGS)

    @classmethod
    def train(cls, *arguments, config="my.json", code=0):
        command = [BIN_DIR / "translate-train", "--config", config, "--threads", 1, *arguments]
        done = subprocess.run(list(map(str, command)), cwd=cls.folder, capture_output=True, text=True)
        if done.returncode != code:
            raise AssertionError(f"exit code {done.returncode}, not {code}:\n{done.stderr}")
        return done.stderr

    def config_of(self, run_dir):
        return json.loads((run_dir / "config.json").read_text(encoding="utf-8"))

    def test_teachers_differ_in_the_seed_alone(self):
        first, second = (self.config_of(self.parts / f"teacher-{number}") for number in (1, 2))
        self.assertEqual((first["training"].pop("seed"), second["training"].pop("seed")), (1, 2))
        first.pop("run_dir"), second.pop("run_dir")
        self.assertEqual(first, second)

    def test_the_reverse_model_reads_the_target_language(self):
        data = self.config_of(self.parts / "reverse")["data"]
        self.assertTrue(data["validation"][0]["source"].endswith("validation.fr"))
        self.assertTrue(data["validation"][0]["target"].endswith("validation.en"))
        for part in (0, 1):
            self.assertTrue(data["train"][0]["source"][part].endswith(f"train-{part}.fr"))
            self.assertTrue(data["train"][0]["target"][part].endswith(f"train-{part}.en"))
        self.assertEqual((data["source_language"], data["target_language"]), ("fr", "en"))

    def test_each_model_writes_its_side(self):
        english, french = ([*read_lines(self.folder / f"train.{language}")] for language in ("en", "fr"))
        checkpoints = ",".join(str(self.parts / f"teacher-{each}" / "best") for each in (1, 2))
        said = run(self.folder, "translate-infer", "--checkpoint", checkpoints, "--raw", "--shortlist",
                   self.parts / "shortlist-50.bin", text="\n".join(english)).split("\n")
        distilled = written(self.parts / "distilled")
        self.assertLessEqual(set(distilled), set(zip(english, said)))
        self.assertGreater(len(distilled), 0)
        drawn = written(self.parts / "drawn")
        for pairs in (written(self.parts / "back"), drawn):
            self.assertLessEqual({target for _, target in pairs}, set(french))
        self.assertEqual(len(drawn), len(set(drawn)))
        self.assertGreater(len(drawn), len(written(self.parts / "back")))
        self.assertLessEqual({source for source, _ in written(self.parts / "taught")}, {source for source, _ in drawn})

    def test_the_student_reads_everything_with_the_teachers_vocabulary(self):
        student = self.config_of(self.student)
        self.assertEqual(student["model"]["dropout"], 0.25)
        self.assertEqual(student["training"]["seed"], 1)
        self.assertEqual(student["distillation"]["teachers"], 0)
        real, *made = student["data"]["train"]
        self.assertEqual([pathlib.Path(each["source"]).parent.name for each in made], ["distilled", "back", "taught"])
        self.assertEqual([pathlib.Path(each).name for each in real["source"]], ["train-0.en", "train-1.en"])
        folders = [folder / "checkpoints" / "step-00000150" for folder in (self.student, self.parts / "teacher-1")]
        for side in ("source.spm", "target.spm"):
            self.assertEqual(*((folder / side).read_bytes() for folder in folders))
        both = ",".join(str(folder / "best") for folder in (self.student, self.parts / "teacher-1"))
        run(self.folder, "translate-infer", "--checkpoint", both, text="The cat sat\n")

    def test_another_student_needs_its_configuration_alone(self):
        self.train("--seed", 2, "--run-dir", "runs/second", config=self.student / "config.json")
        second = self.config_of(self.folder / "runs/second")
        self.assertEqual(second["data"]["train"], self.config_of(self.student)["data"]["train"])

    def test_nothing_is_done_twice(self):
        before = {path: path.stat().st_mtime_ns for path in self.student.rglob("*.safetensors")}
        told = self.train(*SETTINGS)
        self.assertEqual(told.count("nothing to train"), 4)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.student.rglob("*.safetensors")}, before)

    def test_text_that_was_written_otherwise_is_not_taken(self):
        self.train(*SETTINGS, "--run-dir", "runs/otherwise")
        told = self.train(*SETTINGS, "--set", "distillation.n_best=2", "--set", "distillation.reference_weight=1",
                          "--run-dir", "runs/otherwise", code=2)
        self.assertIn("otherwise/distillation/distilled", told)
        told = self.train(*SETTINGS, "--set", "distillation.shortlist=0", "--run-dir", "runs/otherwise", code=2)
        self.assertIn("otherwise/distillation/distilled", told)

    def test_text_that_was_written_of_other_pairs_or_sources_is_not_taken(self):
        config = json.loads((self.folder / "my.json").read_text(encoding="utf-8"))
        config["data"]["train"] = {"source": "changed.en", "target": "changed.fr"}
        (self.folder / "changed.json").write_text(json.dumps(config), encoding="utf-8")
        how = ("--student-of", "runs/my/best", "--reverse", "runs/my/distillation/reverse/best", "--run-dir", "runs/changed",
               "--set", "distillation.drawn=1", "--set", "training.max_steps=50")

        def train(*arguments, code=0):
            shutil.rmtree(self.folder / "runs/changed/checkpoints", ignore_errors=True)
            return self.train(*how, *arguments, config="changed.json", code=code)
        text = {language: [*read_lines(self.folder / f"train.{language}")] for language in ("en", "fr")}
        for language, lines in text.items():
            write_lines(self.folder / f"changed.{language}", lines[:40])
        train()
        self.assertIn("changed/distillation/drawn", train("--set", "distillation.drawn=2", code=2))
        shutil.rmtree(self.folder / "runs/changed/distillation/drawn")
        self.assertIn("changed/distillation/taught", train("--set", "distillation.drawn=2", code=2))
        for language, lines in text.items():
            write_lines(self.folder / f"changed.{language}", lines[20:])
        self.assertIn("changed/distillation/distilled", train(code=2))

    def test_candidates_are_chosen_and_the_worst_left_out(self):
        how = ("--set", "distillation.n_best=4", "--set", "distillation.reverse_weight=0.5",
               "--set", "distillation.reference_weight=50", "--set", "distillation.left_out=0.25",
               "--set", "distillation.drawn=1", "--teachers", 1)
        told = self.train(*how, "--run-dir", "runs/chosen")
        pairs = written(self.folder / "runs/chosen/distillation/distilled")
        left_out = int(re.search(r"distilled: (\d+) pairs written, (\d+) left out", told)[2])
        self.assertEqual(left_out, (len(pairs) + left_out) // 4)
        # The likeness to the reference, with this weight, decides among the four.
        references = dict(zip(*(read_lines(self.folder / f"train.{language}") for language in ("en", "fr"))))
        answer = run(self.folder, "translate-infer", "--checkpoint", "runs/chosen/distillation/teacher-1/best", "--raw",
                     "--shortlist", "runs/chosen/distillation/shortlist-50.bin", "--beam-size", "4", "--n-best", "4",
                     "--json", text="".join(f"{source}\n" for source, _ in pairs))
        asked, first = [], []
        for (source, chosen), line in zip(pairs, answer.splitlines(), strict=True):
            first.append(len(asked))
            texts = [each["translation"] for each in json.loads(line)["nbest"] if not each["truncated"]]
            asked += [(text, references[source]) for text in (chosen, *texts)]
        scores = list(sentence_scores(BIN_DIR, *zip(*asked), "chrf"))
        for begin, end in zip(first, [*first[1:], len(asked)]):
            self.assertGreaterEqual(scores[begin], max(scores[begin:end]) - 5, asked[begin:end])

    def test_students_of_a_round_join_the_teachers(self):
        self.train("--teachers", 1, "--set", "distillation.rounds=2", "--set", "distillation.drawn=1", "--set",
                   "distillation.teacher_weight=0.3", "--run-dir", "runs/rounds")
        parts = self.folder / "runs/rounds/distillation"
        about = json.loads((parts / "round-2-distilled/about.json").read_text(encoding="utf-8"))
        self.assertEqual([name for name, _ in about["models"]], ["teacher-1", "round-1-student-1"])
        made = self.config_of(self.folder / "runs/rounds")["data"]["train"][1:]
        self.assertEqual([pathlib.Path(each["source"]).parent.name for each in made],
                         ["round-2-distilled", "back", "round-2-taught"])
        first, last = (self.config_of(run_dir)["training"]["teacher"]
                       for run_dir in (parts / "round-1-student-1", self.folder / "runs/rounds"))
        self.assertEqual(first, "")
        self.assertEqual(len(last.split(",")), 2)

    def test_a_ready_teacher_needs_no_training(self):
        self.train("--student-of", "runs/my/best", "--set", "distillation.shortlist=0", "--run-dir", "runs/of")
        made = self.config_of(self.folder / "runs/of")["data"]["train"][1:]
        self.assertEqual([pathlib.Path(each["source"]).parent.name for each in made], ["distilled"])
        self.assertEqual({path.name for path in (self.folder / "runs/of/distillation").iterdir()}, {".lock", "distilled", "minutes.json"})
        english = [*read_lines(self.folder / "train.en")]
        said = run(self.folder, "translate-infer", "--checkpoint", "runs/my/best", "--raw", text="\n".join(english)).split("\n")
        self.assertLessEqual(set(written(self.folder / "runs/of/distillation/distilled")), set(zip(english, said)))

    def test_a_student_can_learn_what_its_teacher_predicts(self):
        how = ("--student-of", "runs/my/best", "--set", "distillation.teacher_weight=0.4", "--run-dir", "runs/predicted")
        told = self.train(*how, "--set", "training.max_steps=100")
        self.assertIn("predicts the labels of", told)
        student = self.config_of(self.folder / "runs/predicted")
        self.assertEqual(student["training"]["teacher_weight"], 0.4)
        self.assertIn("runs/my/", student["training"]["teacher"])
        self.assertTrue(pathlib.Path(student["tokenizer"]["source_model"]).is_absolute())
        self.assertIn("using the teacher's predictions", self.train(*how))
        self.train(*how[:-1], "runs/at-once")
        weights = [self.folder / run_dir / "checkpoints/step-00000150/model.safetensors" for run_dir in ("runs/predicted", "runs/at-once")]
        self.assertEqual(*(path.read_bytes() for path in weights))

    def test_a_configuration_with_teachers_can_do_without_and_with_ready_ones(self):
        configuration = json.loads((self.folder / "my.json").read_text(encoding="utf-8"))
        configuration["distillation"] = {"teachers": 2, "drawn": 1, "shortlist": 0, "student": {"training.max_steps": 3}}
        (self.folder / "with.json").write_text(json.dumps(configuration), encoding="utf-8")

        def train(*arguments, code=0):
            return self.train("--set", "training.max_steps=2", *arguments, config="with.json", code=code)

        train("--teachers", 0, "--run-dir", "runs/without")
        self.assertFalse((self.folder / "runs/without/distillation").exists())
        self.assertEqual(self.config_of(self.folder / "runs/without")["training"]["max_steps"], 2)
        train("--student-of", "runs/my/best", "--run-dir", "runs/ready")
        self.assertEqual(self.config_of(self.folder / "runs/ready")["training"]["max_steps"], 3)
        self.assertFalse((self.folder / "runs/ready/distillation/teacher-1").exists())
        self.assertIn("only with teachers", train("--teachers", 0, "--set", "distillation.drawn=3", code=2))

    def test_a_stopped_distillation_goes_on(self):
        process = subprocess.Popen([BIN_DIR / "translate-train", "--config", "my.json", "--threads", "1", *SETTINGS,
                                    "--run-dir", "runs/stopped"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        checkpoints = self.folder / "runs/stopped/distillation/teacher-2/checkpoints"
        while not checkpoints.exists():
            time.sleep(0.01)
            self.assertIsNone(process.poll())
        self.assertIn("stopped/distillation: another trainer", self.train(*SETTINGS, "--run-dir", "runs/stopped", code=2))
        process.send_signal(signal.SIGINT)
        told = process.communicate()[1]
        self.assertEqual(process.returncode, 130, told)  # in the training, or just before or after it
        self.train(*SETTINGS, "--run-dir", "runs/stopped")
        for name in ("", "distillation/teacher-1", "distillation/teacher-2", "distillation/reverse"):
            weights = [folder / name / "checkpoints/step-00000150/model.safetensors"
                       for folder in (self.student, self.folder / "runs/stopped")]
            self.assertEqual(*(path.read_bytes() for path in weights), name)

    def test_what_is_wrong_is_said_before_anything_is_trained(self):
        def told(*arguments, code=2):
            return self.train(*arguments, "--run-dir", "runs/wrong", code=code)

        self.assertIn("expected an object", told(*SETTINGS, "--set", "distillation.student=dropout"))
        self.assertIn("training.seed is not for a student", told("--teachers", 1, "--set", 'distillation.student={"training.seed": 3}'))
        self.assertIn("unknown key", told("--teachers", 1, "--set", 'distillation.student={"model.droput": 3}'))
        self.assertIn("needs validation files", told("--teachers", 1, "--set", 'data.validation={"fraction": 0.2}'))
        self.assertIn("only with teachers", told("--set", "distillation.drawn=4"))
        self.assertIn("leave teacher or teachers out", told("--teachers", 1, "--student-of", "runs/my/best"))
        self.assertIn("go together", told("--teachers", 1, "--set", "distillation.n_best=4"))
        self.assertIn("needs a model of the other direction", told("--student-of", "runs/my/best", "--set", "distillation.left_out=0.1"))
        self.assertIn("--processes", told("--teachers", 1, "--processes", 2))
        self.assertIn("--init", told("--teachers", 1, "--init", "runs/my/best"))
        self.assertIn("two values", told("--teachers", 1, "--set", "distillation.teachers=2"))
        self.assertIn("nosuch", told("--student-of", "runs/nosuch/best"))
        self.assertIn("nosuch", told("--student-of", "runs/nosuch/best", "--check"))
        self.assertIn("translates from fr to en", told("--student-of", "runs/my/distillation/reverse/best"))
        self.assertIn("translates from en to fr", told("--student-of", "runs/my/best", "--reverse", "runs/my/best"))
        files = ("train.en", "train.fr", "--minutes", "1", "--run-dir", "runs/wrong")
        for useless in (("--reverse", "runs/my/best"), ("--set", "distillation.drawn=1"),
                        ("--teachers", "0", "--set", "distillation.n_best=4")):
            with self.subTest(useless):
                done = subprocess.run([BIN_DIR / "translate-train", *files, *useless], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("only with teachers", done.stderr)
        self.assertFalse((self.folder / "runs/wrong/checkpoints").exists())

    def test_a_fast_student_of_a_ready_teacher_can_go_to_marian(self):
        for language in ("en", "fr"):
            write_lines(self.folder / f"own.{language}", list(read_lines(CORPUS / f"train.{language}"))[:200])
        command = [BIN_DIR / "translate-train", "own.en", "own.fr", "--student-of", "runs/my/best", "--size", "tiny",
                   "--minutes", "5", "--threads", "1"]
        for setting in ("model.d_model=32", "model.d_ff=32", "training.max_steps=2", "training.warmup_steps=1"):
            command += ["--set", setting]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        model = self.config_of(self.folder / "runs/en-fr-own")["model"]
        self.assertEqual([model[key] for key in ("encoder_layers", "decoder_layers", "decoder")], [6, 2, "ssru"])
        run_program("translate-export", "--format", "marian", "runs/en-fr-own/best", "exported", folder=self.folder)
        self.assertTrue((self.folder / "exported/decoder.yml").exists())
        self.assertIn("models that were trained here", self.train(
            "--student-of", "exported", "--set", "distillation.teacher_weight=0.4", "--run-dir", "runs/foreign", code=2))

    def test_files_alone_are_distilled_in_the_given_time(self):
        text = [(CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()[:400] for language in ("en", "fr")]
        for language, lines in zip(("en", "fr"), text):
            write_lines(self.folder / f"mine.{language}", lines)
        command = ["mine.en", "mine.fr", "--teachers", "1", "--minutes", "6", "--threads", "1", "--set",
                   "distillation.drawn=1", "--set", "distillation.teacher_weight=0.7",
                   "--set", 'distillation.student={"model.dropout": 0.05}']
        for setting in ("tokenizer.vocab_size=600", "model.d_model=64", "model.num_layers=1", "model.d_ff=64",
                        "training.batch_tokens=200", "training.max_steps=300", "training.schedule=constant",
                        "training.warmup_steps=2", "training.learning_rate=0.01"):
            command += ["--set", setting]

        def train():
            return subprocess.run([BIN_DIR / "translate-train", *command], cwd=self.folder, capture_output=True, text=True)
        done = train()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"test: BLEU [\d.]+")
        folder = self.folder / "runs/en-fr-mine"
        reverse = self.config_of(folder / "distillation/reverse")["data"]
        self.assertTrue(reverse["train"][0]["source"].endswith("text/train.fr"))
        about = json.loads((folder / "distillation/distilled/about.json").read_text(encoding="utf-8"))
        self.assertEqual((about["n_best"], about["reference_weight"]), (5, 1))
        student = self.config_of(folder)
        for side in ("source", "target"):
            self.assertEqual(student["tokenizer"][f"{side}_model"],
                             str(folder.resolve() / f"distillation/teacher-1/tokenizers/{side}.spm"))
        self.assertIn("distillation/teacher-1/", student["training"]["teacher"])
        teacher = self.config_of(folder / "distillation/teacher-1")
        self.assertLess(teacher["training"]["max_minutes"], student["training"]["max_minutes"])
        again = train()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("nothing to train", again.stderr)
        shutil.rmtree(folder / "checkpoints")  # as if it had been stopped before the first one
        again = train()
        self.assertEqual(again.returncode, 0, again.stderr)
        resumed = self.config_of(folder)
        self.assertEqual((student["model"]["dropout"], resumed["model"]["dropout"]), (0.05, 0.05))
        self.assertLess(resumed["training"]["max_minutes"], 1.2 * student["training"]["max_minutes"])

    def test_a_time_too_short_for_all_trainings_is_said_at_once(self):
        done = subprocess.run([BIN_DIR / "translate-train", "train.en", "train.fr", "--teachers", "3", "--minutes", "2"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("distillation: training", done.stderr)


if __name__ == "__main__":
    unittest.main()
