#!/usr/bin/env python3
"""scripts/sweep trains every combination once, goes on where it was stopped, and tells which was best."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from sweeping.results import Run  # noqa: E402
from sweeping.settings import check_options, combinations, name_of, read_list, split_values  # noqa: E402

# Stands in for translate-train: 4 steps, each a validation whose BLEU follows from the settings; the first of r_drop=7
# waits for a signal, saves, and goes on when it is started again; dropout=2 is refused.
TRAINER = f'''#!{sys.executable}
import json, pathlib, signal, sys, time
arguments = sys.argv[1:]
run = pathlib.Path(arguments[arguments.index("--run-dir") + 1])
settings = dict(arguments[i + 1].split("=", 1) for i, each in enumerate(arguments) if each == "--set")
with open("calls", "a") as calls:
    calls.write(json.dumps(settings) + "\\n")
if settings.get("model.dropout") == "2":
    sys.exit(print("error: model.dropout: expected a number from 0 to 1", file=sys.stderr) or 2)
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
run.mkdir(parents=True, exist_ok=True)
(run / "config.json").write_text(json.dumps({{"training": {{"best_metric": "bleu"}}}}))
metrics = run / "metrics.jsonl"
begun = metrics.exists()
with metrics.open("a") as lines:
    for step in range(len(metrics.read_text().splitlines()), 5):
        bleu = float(settings["training.r_drop"]) + float(settings.get("training.seed", 0)) / 10 - abs(step - 3)
        lines.write(json.dumps({{"kind": "validation", "step": step, "seconds": 30.0 * step, "bleu": bleu}}) + "\\n")
        lines.flush()
        while settings["training.r_drop"] == "7" and step == 2 and not begun and not stopped:
            time.sleep(0.01)
        if stopped:
            sys.exit(143)
'''


class SettingsTest(unittest.TestCase):
    """Which runs there are."""

    def test_commas_within_brackets_and_quotes_separate_nothing(self):
        self.assertEqual(split_values('1,{"a": [1, 2], "b": 3},"x,y",z'), ["1", '{"a": [1, 2], "b": 3}', '"x,y"', "z"])

    def test_every_combination_with_the_first_seed_before_the_next(self):
        runs = combinations(["a.b=1,2", "c=x"], [{}], ["5", "6"])
        self.assertEqual([(run["training.seed"], run["a.b"], run["c"]) for run in runs],
                         [("5", "1", "x"), ("5", "2", "x"), ("6", "1", "x"), ("6", "2", "x")])

    def test_a_list_is_multiplied_by_the_grid(self):
        runs = combinations(["a=1,2"], [{"b": "3"}, {"c": "4"}], [])
        self.assertEqual(runs, [{"b": "3", "a": "1"}, {"b": "3", "a": "2"}, {"c": "4", "a": "1"}, {"c": "4", "a": "2"}])

    def test_names_differ_where_settings_do(self):
        names = {name_of(settings) for settings in ({"a.x": "1"}, {"b.x": "1"}, {"a.x": "2"}, {"a.x": "/1"}, {})}
        self.assertEqual(len(names), 5)
        self.assertTrue(all("/" not in name for name in names))
        self.assertEqual(name_of({"a": "1", "b": "2"})[-6:], name_of({"b": "2", "a": "1"})[-6:])

    def test_what_is_wrong_is_said(self):
        for axes, message in ((["a"], "KEY=VALUE"), (["a=1", "a=2"], "a: given more than once"), (["a=1,,2"], "empty")):
            with self.assertRaisesRegex(ValueError, message):
                combinations(axes, [{}], [])

    def test_options_of_all_runs_leave_each_its_own(self):
        check_options(["--threads", "1", "--set", "model.dropout=0.1", "--seed", "3"], ["training.r_drop"])
        for options, message in ((["--seed", "3"], "training.seed"), (["--seed=3"], "training.seed"),
                                 (["--set", "a.b=1"], "a.b"), (["--set=a.b=1"], "a.b"), (["--run-dir", "x"], "own"),
                                 (["--config=x"], "own")):
            with self.assertRaisesRegex(ValueError, message):
                check_options(options, ["a.b", "training.seed"])

    def test_a_list_file_names_its_wrong_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "list"
            path.write_text("# of two\na.b=1 c=2  # first\n\na.b=2\n")
            self.assertEqual(read_list(path), [{"a.b": "1", "c": "2"}, {"a.b": "2"}])
            path.write_text("a=1\nb\n")
            with self.assertRaisesRegex(ValueError, "list:2: expected KEY=VALUE"):
                read_list(path)


class RunTest(unittest.TestCase):
    """What a run has come to."""

    def test_bleu_and_chrf_rise_and_the_loss_falls(self):
        for metric, best in (("bleu", 3.0), ("chrf", 3.0), ("loss", 1.0)):
            with tempfile.TemporaryDirectory() as folder:
                run = pathlib.Path(folder)
                (run / "config.json").write_text(json.dumps({"training": {"best_metric": metric}}))
                reports = [{"kind": "validation", "step": step, "seconds": 1.0, metric: float(step)} for step in (1, 3, 2)]
                (run / "metrics.jsonl").write_text("".join(json.dumps(report) + "\n" for report in reports))
                found = Run("a", run, {})
                self.assertEqual((found.best, found.best_step), (best, int(best)))
                self.assertEqual(found.rank()[1], best if metric == "loss" else -best)


class SweepTest(unittest.TestCase):
    """The command, with a trainer that takes no time."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "trainer").write_text(TRAINER)
        (self.path / "trainer").chmod(0o755)
        (self.path / "base.json").write_text("{}")

    def command(self, *arguments):
        return [sys.executable, ROOT / "scripts" / "sweep", "--config", "base.json", "--program", "trainer", *arguments]

    def sweep(self, *arguments, code=0):
        done = subprocess.run(self.command(*arguments), cwd=self.path, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def calls(self):
        path = self.path / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def results(self):
        return json.loads((self.path / "runs" / "sweep-base" / "results.json").read_text())

    def test_seeds_are_whole_numbers_each_once(self):
        for seeds in ("x", "1,x", "1,,2", "1,1"):
            self.assertIn("whole numbers", self.sweep("--seeds", seeds, code=2).stderr)
        self.assertEqual(self.calls(), [])

    def test_options_that_undo_the_seeds_are_refused(self):
        told = self.sweep("--set", "training.r_drop=0", "--seeds", "1,2", "--", "--seed", "3", code=2).stderr
        self.assertIn("behind `--`: --seed", told)
        self.assertEqual(self.calls(), [])

    def test_trains_all_and_names_the_best(self):
        arguments = ("--set", "training.r_drop=0,5", "--set", "model.d_ff=8", "--seeds", "1,2")
        table = self.sweep(*arguments).stdout.splitlines()
        self.assertEqual(len(self.calls()), 4)
        self.assertEqual(table[0].split(),
                         ["training.r_drop", "training.seed", "bleu", "at", "step", "steps", "minutes", "status"])
        self.assertEqual(table[1].split(), ["5", "2", "5.2", "3", "4", "2.0", "done"])
        self.assertEqual(table[4].split()[:2], ["0", "1"])
        self.assertEqual(table[6].split(), ["training.r_drop", "mean", "bleu", "deviation", "seeds"])
        self.assertEqual(table[7].split(), ["5", "5.15", "0.0707", "2"])
        tsv = (self.path / "runs" / "sweep-base" / "results.tsv").read_text().splitlines()
        self.assertEqual(tsv[0].split("\t")[:5], ["training.r_drop", "model.d_ff", "training.seed", "name", "status"])
        self.assertEqual(len(tsv), 5)
        self.assertEqual([run["best"] for run in self.results()], [0.1, 5.1, 0.2, 5.2])

    def test_what_is_done_is_not_done_again_unless_the_configuration_changes(self):
        arguments = ("--set", "training.r_drop=0,5")
        first = self.sweep(*arguments).stdout
        self.assertEqual(self.sweep(*arguments).stdout, first)
        self.assertEqual(len(self.calls()), 2)
        self.assertEqual(self.sweep(*arguments, "--report").stdout, first)
        (self.path / "base.json").write_text('{"training": {"max_steps": 9}}')
        self.sweep(*arguments)
        self.assertEqual(len(self.calls()), 4)

    def test_goes_on_after_a_signal(self):
        with subprocess.Popen(self.command("--set", "training.r_drop=7,5"), cwd=self.path, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            metrics = self.path / "runs" / "sweep-base" / name_of({"training.r_drop": "7"}) / "metrics.jsonl"
            while not (metrics.exists() and len(metrics.read_text().splitlines()) == 3):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGINT)
            table = process.communicate()[0]
        self.assertEqual(process.returncode, 130)
        self.assertEqual([run["status"] for run in self.results()], ["stopped", "not begun"])
        self.assertIn("stopped", table)
        self.sweep("--set", "training.r_drop=7,5")
        self.assertEqual([run["status"] for run in self.results()], ["done", "done"])
        self.assertEqual([call["training.r_drop"] for call in self.calls()], ["7", "7", "5"])

    def test_several_at_a_time(self):
        # Those of r_drop=7 wait until they are told to end: with fewer jobs the third one would never begin.
        done = self.sweep("--set", "training.r_drop=7", "--set", "model.d_ff=1,2,3,4", "--jobs", "3", "--minutes", "0.05",
                          code=3)
        self.assertEqual([run["status"] for run in self.results()], 3 * ["stopped"] + ["not begun"])
        self.assertEqual(len(done.stderr.splitlines()), 6)
        self.sweep("--set", "training.r_drop=7", "--set", "model.d_ff=1,2,3,4", "--jobs", "4", "--minutes", "0.05",
                   code=3)
        self.assertEqual([run["status"] for run in self.results()], 3 * ["done"] + ["stopped"])

    def test_keeps_to_its_time(self):
        done = self.sweep("--set", "training.r_drop=7,5", "--minutes", "0.02", code=3)
        self.assertEqual([run["status"] for run in self.results()], ["stopped", "not begun"])
        self.assertIn("at step", done.stdout)
        self.assertNotIn("5", [call["training.r_drop"] for call in self.calls()])

    def test_a_run_that_fails_is_told_and_the_others_go_on(self):
        done = self.sweep("--set", "training.r_drop=5", "--set", "model.dropout=2,0.1", code=1)
        self.assertEqual([run["status"] for run in self.results()], ["failed", "done"])
        self.assertIn("model.dropout: expected a number from 0 to 1", done.stderr)

    def test_options_of_the_trainer_follow_two_dashes(self):
        self.sweep("--set", "training.r_drop=1", "--", "--set", "model.d_ff=3")
        self.assertEqual(self.calls(), [{"training.r_drop": "1", "model.d_ff": "3"}])

    def test_wrong_command_lines(self):
        for arguments in (("--set", "x"), ("--minutes", "0"), ("--jobs", "0"), ("--runs", "none")):
            self.sweep(*arguments, code=2)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
