#!/usr/bin/env python3
"""The PyTorch loops of scripts/benchmark-peers do the same work as translate-train: the same loss, gradients and
updates on the same batches, whichever variant. Skipped (exit code 77) without the packages of `scripts/setup --python`.
TRANSLATE_BIN_DIR: the programs' folder."""

import dataclasses
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
BENCHMARK = HERE.parent / "benchmark"
sys.path[:0] = [str(HERE), str(BENCHMARK)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("the PyTorch loops were not compared with translate-train")

import torch  # noqa: E402

import matrix_rate  # noqa: E402
from compare import settings  # noqa: E402
from compare.contest import MatrixRate, OurSide, TheirSide  # noqa: E402
from compare.processes import OurTraining, Worker  # noqa: E402
from compare.trials import LARGEST_ERRORS, wrong_work  # noqa: E402
from peer import dropout  # noqa: E402
from peer.batches import Batches  # noqa: E402
from peer.training import Training  # noqa: E402
from peer.variants import Variant  # noqa: E402
from programs import BIN_DIR, CORPUS, run  # noqa: E402

BATCHES = 8
MODEL = {"d_model": 32, "num_layers": 2, "num_heads": 4, "d_ff": 48, "dropout": 0.0}
WAYS = [  # what may differ between variants, without torch.compile, which would take minutes
    {"loss": "whole", "clip": "plain", "dropout": "torch"},
    {"loss": "whole", "dropout": "torch"},
    {"loss_rows": 33},
    {"layout": "packed"},
    {"dropout": "pool", "clip": "plain"},
]


class BenchmarkPeers(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-benchmark-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def export(self, **model):
        """Batches of a small model; what the PyTorch side reads."""
        config = settings.configuration("tiny", CORPUS / "train.en", CORPUS / "train.fr", log_every=1)
        config["tokenizer"]["vocab_size"] = 400
        config["model"] |= MODEL | model
        config["training"] |= {"batch_tokens": 600, "learning_rate": 0.01, "warmup_steps": 4, "max_steps": BATCHES}
        config["training"] |= {"clip_grad_norm": 0.5}
        (self.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        program = BIN_DIR.parent / "benchmark" / "export_batches"
        run(self.folder, program, "--config", "config.json", "--output", ".", "--batches", BATCHES, "--quiet")
        return Batches(self.folder)

    def our_losses(self):
        """The smoothed loss of each step of translate-train."""
        run(self.folder, "translate-train", "--config", "config.json", "--run-dir", "run", "--quiet")
        lines = (self.folder / "run" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line)["smoothed_loss"] for line in lines]

    def expect_same_work(self, batches, variant):
        training = Training(batches, variant)
        errors = training.check()
        self.assertEqual(wrong_work(errors, variant), "", variant)
        self.assertEqual(sum(p.numel() for p in training.parameters), batches.facts["parameters"])

    def test_every_variant_has_our_loss_and_gradients(self):
        for model in ({}, {"norm": "post", "attention_bias": True}):
            batches = self.export(**model)
            for way in WAYS:
                self.expect_same_work(batches, Variant(**way))
                self.expect_same_work(batches, Variant(precision="bf16", **way))

    def test_a_wrong_model_is_seen(self):
        batches = self.export()
        training = Training(batches, Variant())
        with torch.no_grad():
            training.model.encoder[1].norms[0].weight.mul_(1.02)
        self.assertIn("not the same work", wrong_work(training.check(), Variant()))

    def test_training_goes_the_same_way(self):
        """Without dropout every variant has the losses of translate-train, step by step: schedule, clipping, Adam."""
        batches = self.export()
        ours = self.our_losses()
        self.assertEqual(len(ours), BATCHES)
        self.assertLess(ours[-1], ours[0] - 0.3)
        for way in WAYS:
            training = Training(batches, Variant(**way))
            for step, expected in enumerate(ours):
                answer = training.run(step, 1)
                self.assertAlmostEqual(answer["smoothed_loss"], expected, delta=2e-4 * expected, msg=f"{way} {step}")
                self.assertEqual(answer["tokens"], batches.facts["target_tokens_by_batch"][step])

    def test_models_that_would_be_other_work_are_refused(self):
        batches = self.export()
        for key, value in (("attention_dropout", 0.1), ("tie_embeddings", "none"), ("activation", "gelu")):
            kept = batches.facts["config"]["model"][key]
            batches.facts["config"]["model"][key] = value
            with self.assertRaisesRegex(SystemExit, key):
                Training(batches, Variant())
            batches.facts["config"]["model"][key] = kept

    def test_dropout(self):
        """Whatever the kind: the right share is zero, the mean stays, and the gradient has the output's mask."""
        x = torch.ones(400, 500, requires_grad=True)
        for kind in dropout.KINDS:
            drop = dropout.make_dropout(kind, 0.3)
            drop.start_step()
            for output, rest in ((drop(x), 0), (drop.add(torch.full_like(x, 5.0), x), 5)):
                kept = (output - rest).detach()
                self.assertAlmostEqual(float((kept == 0).float().mean()), 0.3, delta=0.01, msg=kind)
                self.assertAlmostEqual(float(kept.mean()), 1.0, delta=0.01, msg=kind)
                (gradient,) = torch.autograd.grad(output.sum(), x)
                self.assertTrue(torch.allclose(gradient, kept, atol=1e-5), kind)
            self.assertFalse(torch.equal(drop(x), drop(x)), kind)
        self.assertTrue(torch.equal(dropout.make_dropout("bytes", 0.0)(x), x))

    def test_sides_take_turns_on_the_same_steps(self):
        batches = self.export(dropout=0.1)
        config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
        config["training"]["max_steps"] = 0
        (self.folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        command = [BIN_DIR / "translate-train", "--config", self.folder / "config.json", "--threads", "1"]
        program = OurTraining("ours", command, self.folder / "run", self.folder / "ours.log")
        self.addCleanup(program.close)
        ours = OurSide(program, batches.facts, "fp32")
        script = [sys.executable, BENCHMARK / "pytorch_train.py", "--batches", self.folder, "--threads", "1", "--serve"]
        worker = Worker("theirs", script, self.folder / "theirs.log")
        self.addCleanup(worker.close)
        self.assertEqual(worker.answer()["parameters"], batches.facts["parameters"])
        theirs = TheirSide(worker, "strong", "fp32")
        theirs.warm_up(ours.warm_up(1))
        begin, end = ours.round(0.2)
        theirs.round(begin, end)
        self.assertGreaterEqual(end - begin, 2)
        self.assertEqual(theirs.done, end)
        for figures in (ours.figures, theirs.figures):
            self.assertEqual(len(figures.tokens_per_second), 1)
            self.assertGreater(figures.peak_memory, 1 << 20)
            self.assertLess(figures.smoothed_loss[0], batches.facts["first_batch"]["smoothed_loss"])

    def test_products_are_the_models(self):
        """Every matrix is counted once: together they are all parameters but biases and norms."""
        facts = self.export().facts
        products = settings.products(facts)
        weights = sum(inner * outer * count for _, inner, outer, count in products)
        model = Training(Batches(self.folder), Variant()).model
        self.assertEqual(weights, sum(p.numel() for p in model.parameters() if p.dim() > 1))
        worker = Worker("probe", [sys.executable, BENCHMARK / "matrix_rate.py"], self.folder / "probe.log")
        self.addCleanup(worker.close)
        self.assertEqual(worker.answer(), {})
        rate = MatrixRate(worker, products, "bf16")
        rate.round(0.1)
        self.assertGreater(rate.limit(600), 0)
        self.assertEqual(set(rate.rates()), {"forward", "input_gradient", "weight_gradient", "all"})

    def test_a_gpu_is_waited_for_after_several_products(self):
        """By a clock that a product takes 1 ms on and a wait 2 ms."""
        now = [0.0]

        def takes(seconds):
            now[0] += seconds

        with unittest.mock.patch.object(matrix_rate.time, "perf_counter", lambda: now[0]):
            product, wait = lambda: takes(0.001), lambda: takes(0.002)
            self.assertEqual(matrix_rate.calls_between_waits(product, wait, 0.0), 1)
            self.assertEqual(matrix_rate.calls_between_waits(product, wait, 0.005), 4)
            self.assertAlmostEqual(matrix_rate.seconds_of(product, 0.1, wait), 0.003)
            self.assertAlmostEqual(matrix_rate.seconds_of(product, 0.1, wait, 0.005), 0.0015)

    def test_the_list_of_variants(self):
        """Names are distinct, and what the allocators at hand are is respected."""
        for precision in LARGEST_ERRORS:
            for allocators in ({}, {"tcmalloc": "a.so", "jemalloc": "b.so"}):
                variants = settings.variants(precision, allocators, None)
                self.assertEqual(len({variant.name for variant in variants}), len(variants))
                used = {variant.allocator for variant in variants} - {"default", "glibc"}
                self.assertEqual(used, set(allocators))
                for variant in variants:
                    self.assertEqual(Variant.of(variant.json()), variant)
            on_cpu, on_gpu = (
                {variant.name for variant in settings.variants(precision, {"tcmalloc": "a.so"}, None, device)}
                for device in ("cpu", "cuda")
            )
            self.assertLess(on_cpu, on_gpu)
            self.assertIn("gpu-compiled", on_gpu)
        (only,) = settings.variants("fp32", {}, ["plain"])
        self.assertEqual(only, dataclasses.replace(only, name="plain", dropout="torch", loss="whole", clip="plain"))


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
