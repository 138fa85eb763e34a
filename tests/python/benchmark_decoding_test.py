#!/usr/bin/env python3
"""scripts/benchmark-peers decode compares the same work: a converted checkpoint gives the same translations with the
same scores in CTranslate2, whatever the model. Skipped (exit code 77) without the packages of `scripts/setup --python`
or without CTranslate2. No time is judged. TRANSLATE_BIN_DIR: the programs' folder."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
BENCHMARK = HERE.parent / "benchmark"
sys.path[:0] = [str(HERE), str(BENCHMARK)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("decoding was not compared with CTranslate2")
    environment.require("decoding was not compared with CTranslate2", "ctranslate2", "sacrebleu", "sentencepiece", "safetensors",
                        "transformers")

import benchmark_decoding  # noqa: E402
import ctranslate2_translate  # noqa: E402
import marian_folders  # noqa: E402
import marian_shapes  # noqa: E402
from compare import checkpoints, search_report, search_trials  # noqa: E402
from compare.engines import Figures, Run, Search, Setting  # noqa: E402
from compare.latency import LineProgram, percentiles  # noqa: E402
from compare.processes import Failed, run_to_end  # noqa: E402
from convert_to_ctranslate2 import convert  # noqa: E402
from peer.ctranslate2_model import CannotConvert  # noqa: E402
from programs import BIN_DIR, CORPUS, run, test_sentences, train  # noqa: E402

BPE = {"type": "bpe", "vocab_size": 400, "shared": True}
SMALL = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "num_heads": 4, "d_ff": 48}
SMALL |= {"dropout": 0.0, "layer_norm": "torch", "init": "scaled"}
STEPS = 120
LINES = 60
MAX_LENGTH = 40
LEAST_SAME = 0.95  # of translations; the others are near ties of two pieces


class BenchmarkDecoding(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-benchmark-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lines = [*test_sentences(LINES), "", "Unknown: 漢字"]

    def train(self, steps=STEPS, tokenizer=None, **model):
        return train(self.folder, BPE | (tokenizer or {}), SMALL | model, steps)

    def their_translations(self, checkpoint, **search):
        """(translations, scores) of our lines by CTranslate2; blank lines left out of the scores."""
        model = self.folder / "converted"
        convert(checkpoint, model)
        sys.argv = ["ctranslate2_translate.py", "--model", str(model), "--max-length", str(MAX_LENGTH)]
        engine = ctranslate2_translate.Engine(ctranslate2_translate.read_arguments())
        texts, told = engine.translate(self.lines)
        self.assertEqual(told["lines"], len(self.lines))
        pieces = engine.source.encode([line for line in self.lines if line], out_type=str)
        self.assertEqual(told["source_pieces"], sum(len(each) + 2 for each in pieces))
        found = engine.translator.translate_batch(pieces, return_scores=True, **engine.search)
        self.assertEqual(told["pieces"], sum(len(each.hypotheses[0]) for each in found))
        return texts, [each.scores[0] for each in found]

    def our_translations(self, checkpoint):
        copy = checkpoints.copy_without_ratio(checkpoint, self.folder / "copy")
        text = "".join(line + "\n" for line in self.lines)
        options = ["--checkpoint", copy, "--raw", "--beam-size", 1, "--max-length", MAX_LENGTH, "--json", "--precision", "fp32"]
        output = run(self.folder, "translate-infer", *options, text=text)
        found = [json.loads(line) for line in output.splitlines()]
        return [each["translation"] for each in found], [each["score"] for each in found if each["source"]]

    def expect_same_work(self, checkpoint):
        ours, our_scores = self.our_translations(checkpoint)
        theirs, their_scores = self.their_translations(checkpoint)
        self.assertGreaterEqual(sum(a == b for a, b in zip(ours, theirs, strict=True)), LEAST_SAME * len(ours))
        self.assertGreater(len(set(ours)), 5)
        close = [abs(a - b) < 1e-3 * (1 + abs(a)) for a, b in zip(our_scores, their_scores, strict=True)]
        self.assertGreaterEqual(sum(close), LEAST_SAME * len(close))

    def test_pre_norm_all_tied(self):
        self.expect_same_work(self.train(tie_embeddings="all", layer_norm_epsilon=0.01))

    def test_post_norm_untied_attention_biases(self):
        tokenizer = {"shared": False, "vocab_size": 300}
        self.expect_same_work(self.train(tokenizer=tokenizer, norm="post", attention_bias=True, encoder_layers=1))

    def test_learned_positions_decoder_tied_other_activation(self):
        for activation in ("gelu", "swish"):
            model = {"positions": "learned", "tie_embeddings": "decoder", "activation": activation}
            self.expect_same_work(self.train(embedding_scale=False, max_positions=258, **model))
            shutil.rmtree(self.folder / "run")

    def test_a_wrong_weight_is_seen(self):
        """The comparison tells models apart that differ in one norm."""
        from safetensors.numpy import load_file, save_file

        checkpoint = self.train(tie_embeddings="all")
        ours, _ = self.our_translations(checkpoint)
        weights = load_file(checkpoint / "model.safetensors")
        weights["decoder.norm.alpha"][::2] *= 2
        save_file(weights, checkpoint / "model.safetensors")
        theirs, _ = self.their_translations(checkpoint)
        self.assertLess(sum(a == b for a, b in zip(ours, theirs, strict=True)), LEAST_SAME * len(ours))

    def test_what_cannot_be_said_is_refused(self):
        checkpoint = self.train(steps=1)
        file = checkpoint / "config.json"
        kept = json.loads(file.read_text(encoding="utf-8"))
        for key, value in (("layer_norm", "reference"), ("positions", "none")):
            changed = kept | {"model": kept["model"] | {key: value}}
            file.write_text(json.dumps(changed), encoding="utf-8")
            with self.assertRaisesRegex(CannotConvert, f"model.{key} is {value}"):
                convert(checkpoint, self.folder / "converted")
        file.write_text(json.dumps(kept | {"model": kept["model"] | {"encoder_layers": 1}}), encoding="utf-8")
        with self.assertRaisesRegex(CannotConvert, "no place for these weights: encoder.layers.1"):
            convert(checkpoint, self.folder / "converted")
        file.write_text(json.dumps(kept), encoding="utf-8")
        (checkpoint / "source.spm").unlink()
        with self.assertRaisesRegex(CannotConvert, "source.spm is not there: only models with SentencePiece"):
            convert(checkpoint, self.folder / "converted")

    def test_sizes_are_the_models(self):
        """Every matrix is counted once: a source position and a step together use all of them."""
        checkpoint = self.train(steps=1, tie_embeddings="all", encoder_layers=1)
        sizes = checkpoints.read_sizes(checkpoint)
        matrices = [shape for shape in checkpoints.shapes(checkpoint / "model.safetensors").values() if len(shape) == 2]
        self.assertEqual(sizes.multiply_adds(1, 1), sum(rows * columns for rows, columns in matrices))
        self.assertEqual(sizes.multiply_adds(3, 5), 3 * sizes.multiply_adds(1, 0) + 5 * sizes.multiply_adds(0, 1))
        self.assertEqual(sizes.vocabulary, 400)
        told = run(self.folder, "translate-train", "--config", "config.json", "--check")
        self.assertRegex(told.replace(",", ""), rf"parameters +{sizes.parameters}\n")

    def test_a_line_for_a_line(self):
        checkpoint = self.train(steps=1)
        command = [BIN_DIR / "translate-infer", "--checkpoint", checkpoint, "--threads", "1", "--max-length", "5"]
        program = LineProgram("ours", command, self.folder / "lines.log", {})
        self.addCleanup(program.close)
        self.assertEqual(len(program.turn(self.lines[:1])), 1)
        self.assertEqual(len(program.turn(self.lines[:3])), 3)

    def test_a_failing_program_is_told(self):
        with self.assertRaisesRegex(Failed, "translate-infer ended with exit code 2(.|\n)*no-such"):
            run_to_end("translate-infer", [BIN_DIR / "translate-infer", "--no-such"], self.folder / "log")

    def test_from_end_to_end(self):
        """The whole comparison, in small: its JSON tells what was done, and the table has a line for each contender."""
        checkpoint = self.train(tie_embeddings="all")
        results, table = self.compare(checkpoint, "--beam-size", "1,5", "--max-length", MAX_LENGTH, "--no-transformers")
        self.assertEqual([each["search"]["beam_size"] for each in results], [1, 5])
        for result in results:
            self.check_result(result, table)

    def compare(self, model, *options):
        """(results, the table)"""
        source, reference = self.folder / "in.en", self.folder / "in.fr"
        source.write_text("".join(line + "\n" for line in self.lines[:20]), encoding="utf-8")
        french = (CORPUS / "test.fr").read_text(encoding="utf-8").split("\n")[:20]
        reference.write_text("".join(line + "\n" for line in french), encoding="utf-8")
        command = [sys.executable, BENCHMARK / "benchmark_decoding.py", "--build", BIN_DIR.parent, "--json", "out.json"]
        command += ["--checkpoint", model, "--input", source, "--reference", reference, "--work", "work"]
        command += ["--precision", "fp32", "--compute-types", "float32", "--batches", "8,200t", "--threads", "1"]
        command += ["--rounds", "2", "--repeat", "2", "--trial-seconds", "0.01", "--sentences", "2", *options]
        done = subprocess.run(list(map(str, command)), cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8")), done.stdout

    def test_marian_of_a_fixed_length(self):
        """A MarianMT folder takes part as it is, and all sides generate as many subwords for each sentence."""
        for language, name in (("en", "source.spm"), ("fr", "target.spm")):
            text = (CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()[:800]
            marian_folders.train_pieces(text, self.folder / name, 260)
        marian_shapes.make(self.folder / "marian", marian_shapes.SHAPES["opus"], self.folder)
        (result,), _ = self.compare(self.folder / "marian", "--beam-size", "1", "--fixed-length", "7", "--rounds", "1", "--sentences", "0")
        self.assertEqual(result["same_in_fp32"], [20, 20])
        names = ["translate-infer", "CTranslate2", "transformers"]
        self.assertEqual([each["name"].split()[0] for each in result["contenders"]], names)
        self.assertEqual([each["theirs"].split()[0] for each in result["ratios"]], names[1:])
        for each in result["contenders"]:
            self.assertEqual([run_["pieces"] for run_ in each["runs"]], [7 * 40], each["name"])

    def check_result(self, result, table):
        self.assertEqual(result["lines"], 40)
        self.assertEqual(result["same_in_fp32"][1], 20)
        self.assertGreater(len(result["trials"]), 2)
        ours, theirs = result["contenders"]
        self.assertEqual([ours["ours"], theirs["ours"], theirs["precision"]], [True, False, "float32"])
        for each in (ours, theirs):
            self.assertIn(f"  {each['name']} ", table)
            self.assertEqual(len(each["runs"]), 2)
            self.assertGreater(each["of_limit"], 0)
            for run_ in each["runs"]:
                self.assertEqual(run_["lines"], 40)
                self.assertGreater(run_["whole_seconds"], run_["seconds"])
                self.assertGreater(run_["peak_memory"], 1 << 20)
        pieces = [each["runs"][0]["pieces"] for each in (ours, theirs)]
        self.assertLess(abs(pieces[0] - pieces[1]), 0.1 * pieces[0])
        self.assertLess(abs(ours["bleu"] - theirs["bleu"]), 5)
        self.assertEqual([len(each["rounds"]) for each in result["ratios"]], [2])
        self.assertEqual([len(each["warm"]) for each in result["latencies"]], [2, 2])
        self.assertEqual([len(each["without_start"]) for each in result["latencies"]], [0, 2])

    def test_settings(self):
        self.assertEqual(search_trials.layouts(4), [(1, 4), (2, 2), (4, 1)])
        supported = {"mkl": ["float32", "int16"], "mkl-packed": ["float32"], "onednn": []}
        every = search_trials.settings_of(supported, 2, None)
        self.assertEqual(len(every), len(set(every)))
        self.assertEqual(len(every), 6)
        self.assertEqual({each.compute_type for each in search_trials.settings_of(supported, 2, ["int16"])}, {"int16"})
        best, second = Setting(compute_type="int8"), Setting()
        tried = best, second, dataclasses.replace(best, inter_threads=2)
        trials = [search_trials.Trial(setting, 3.0 - place) for place, setting in enumerate(tried)]
        self.assertEqual(search_trials.finalists(trials, 3), [best, second])
        self.assertEqual(benchmark_decoding.batch_sizes("64,2048t"), [(64, "examples"), (2048, "tokens")])

    def test_a_hopeless_setting_is_not_tried_further(self):
        class Worker:
            def __init__(self):
                self.lines = 0

            def ask(self, lines, batch):
                self.lines += lines
                return {"lines": lines, "seconds": lines / 2.0}

        slow = Worker()
        self.assertEqual(search_trials.tried(slow, (32, "examples"), seconds=3, best=100.0), 2.0)
        self.assertEqual(slow.lines, 2 * search_trials.FIRST)
        fair = Worker()
        self.assertEqual(search_trials.tried(fair, (32, "examples"), seconds=3, best=10.0), 2.0)
        self.assertGreater(fair.lines, 2 * search_trials.SHORT)

    def test_figures(self):
        """Shares and ratios of runs that are known."""
        sizes = checkpoints.Sizes({"d_model": 2, "d_ff": 3, "encoder_layers": 1, "decoder_layers": 1}, 5, 0)
        self.assertEqual(sizes.multiply_adds(1, 0), 4 * 4 + 12 + 2 * 4)
        self.assertEqual(sizes.multiply_adds(0, 1), 6 * 4 + 12 + 10)
        one = Run(lines=2, pieces=8, seconds=1, cut_short=0, whole_seconds=9, peak_memory=1)
        runs = [dataclasses.replace(one, seconds=seconds) for seconds in (1, 2, 4)]
        ours = Figures("ours", "fp32", ours=True, output="", runs=runs[:2])
        theirs = Figures("theirs", "fp32", ours=False, output="", runs=runs[1:])
        result = search_report.Result(Search(2, 0.0, 9), 2, 10, (2, 2), [], [ours, theirs], [], matrix_rate=1000.0)
        self.assertEqual(search_report.ratios(ours, theirs), [2.0, 2.0])
        self.assertEqual(runs[1].tokens_per_second(), 5)
        self.assertEqual(result.contenders[0].median(), 1.5)
        expected = (10 * 36 + 2 * 10 * 46) / 1000.0
        self.assertAlmostEqual(search_report.limit_share(result, sizes, theirs), expected * (1 / 2 + 1 / 4) / 2)
        self.assertEqual(percentiles([3.0]), (3.0, 3.0))
        middle, high = percentiles([float(i) for i in range(101)])
        self.assertAlmostEqual(middle, 50.0)
        self.assertAlmostEqual(high, 95.0)


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
