#!/usr/bin/env python3
"""TensorBoard reads the event files of a training: the values of metrics.jsonl and the sample translations, each step once,
also after a training was resumed from before its last report."""

import json
import pathlib
import shutil
import tempfile
import unittest

import environment
from programs import run, write_short_corpus

TAGS = {
    "train": {"training/loss": "loss", "training/smoothed_loss": "smoothed_loss", "training/learning_rate": "lr",
              "training/tokens_per_second": "tokens_per_second"},
    "validation": {"validation/loss": "loss", "validation/bleu": "bleu", "validation/chrf": "chrf"},
}  # fmt: skip
SAMPLES = "validation/translations"


class TensorBoardTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        write_short_corpus(self.folder, 200)
        files = {split: {"source": f"{split}.en", "target": f"{split}.fr"} for split in ("train", "validation")}
        config = {
            "data": files,
            "tokenizer": {"vocab_size": 100},
            "model": {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 32},
            "training": {"batch_tokens": 300, "log_every": 2, "validate_every": 7, "checkpoint_every": 10,
                         "show_translations": 2, "keep_last": "all", "keep_best": 0},
        }  # fmt: skip
        (self.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")

    def train(self, steps, *more):
        run(self.folder, "translate-train", "--config", "config.json", "--run-dir", "run", "--set",
            f"training.max_steps={steps}", *more)  # fmt: skip

    def remove_checkpoints_after(self, step):
        for checkpoint in (self.folder / "run" / "checkpoints").iterdir():
            if int(checkpoint.name.removeprefix("step-")) > step:
                shutil.rmtree(checkpoint)

    def events(self):
        """The run as TensorBoard reads it."""
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        accumulator = EventAccumulator(str(self.folder / "run" / "tensorboard"), {"scalars": 0, "tensors": 0})
        accumulator.Reload()
        return accumulator

    def reports(self):
        """The reports in the order of the steps, without those that a resumed training has made again."""
        lines = (self.folder / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        kept = []
        for report in map(json.loads, lines):
            if report["kind"] == "train":
                kept = [other for other in kept if other["step"] < report["step"]]
            kept.append(report)
        return kept

    def expect_scalars(self):
        events = self.events()
        self.assertEqual(set(events.Tags()["scalars"]), {tag for tags in TAGS.values() for tag in tags})
        for kind, tags in TAGS.items():
            reports = [report for report in self.reports() if report["kind"] == kind]
            for tag, field in tags.items():
                values = events.Scalars(tag)
                self.assertEqual([value.step for value in values], [report["step"] for report in reports], tag)
                for value, report in zip(values, reports, strict=True):
                    self.assertAlmostEqual(value.value, report[field], delta=1e-6 * abs(report[field]), msg=tag)
        return events

    def test_a_training(self):
        self.train(14)
        events = self.expect_scalars()
        validations = [report for report in self.reports() if report["kind"] == "validation"]
        texts = events.Tensors(SAMPLES)
        self.assertEqual([text.step for text in texts], [report["step"] for report in validations])
        self.assertEqual(events.SummaryMetadata(SAMPLES).plugin_data.plugin_name, "text")
        for text, report in zip(texts, validations, strict=True):
            self.assertEqual(self.cells(text.tensor_proto.string_val[0]), [list(one.values()) for one in report["samples"]])

    @staticmethod
    def cells(markdown):
        """The texts of a table, as TensorBoard shows them: rows of cells."""
        from html.parser import HTMLParser

        from tensorboard import plugin_util

        class Table(HTMLParser):
            def __init__(self):
                super().__init__()
                self.rows = []

            def handle_starttag(self, tag, _):
                if tag == "tr":
                    self.rows.append([])
                elif tag == "td":
                    self.rows[-1].append("")

            def handle_data(self, data):
                if self.rows and self.rows[-1]:
                    self.rows[-1][-1] += data.rstrip("\n")

        table = Table()
        table.feed(plugin_util.markdown_to_safe_html(markdown))
        return [row for row in table.rows if row]

    def test_a_resumed_training_has_each_step_once(self):
        self.train(16)
        self.remove_checkpoints_after(10)  # as if it had been killed then
        before = self.reports()
        self.train(24)
        files = sorted((self.folder / "run" / "tensorboard").iterdir())
        self.assertEqual(len(files), 2)
        self.expect_scalars()
        self.assertGreater(len(self.reports()), len(before))

    def test_steps_that_were_not_made_again_are_gone(self):
        self.train(16)
        self.remove_checkpoints_after(10)
        self.train(12)
        self.assertEqual([value.step for value in self.events().Scalars("training/loss")], [2, 4, 6, 8, 10, 12])

    def test_a_run_that_began_again_has_nothing_of_before(self):
        self.train(8)
        self.remove_checkpoints_after(0)
        self.train(4)
        events = self.events()
        self.assertEqual([value.step for value in events.Scalars("training/loss")], [2, 4])
        self.assertEqual([value.step for value in events.Scalars("validation/loss")], [0, 4])

    def test_a_reached_limit_writes_nothing(self):
        self.train(4)
        self.train(4)
        self.assertEqual(len(list((self.folder / "run" / "tensorboard").iterdir())), 1)

    def test_a_half_written_record_hides_nothing_else(self):
        self.train(10)
        [file] = (self.folder / "run" / "tensorboard").iterdir()
        file.write_bytes(file.read_bytes()[:-5])
        self.train(14)
        steps = [value.step for value in self.events().Scalars("training/loss")]
        self.assertEqual(steps, [2, 4, 6, 8, 10, 12, 14])

    def test_without_tensorboard_there_is_no_folder(self):
        self.train(4, "--set", "training.tensorboard=false")
        self.assertFalse((self.folder / "run" / "tensorboard").exists())


if __name__ == "__main__":
    environment.enter("event files were not read")
    environment.require("event files were not read", "tensorboard")
    unittest.main()
