#!/usr/bin/env python3
"""The numbers of `translate-explain --explain-step` are PyTorch's for the same weights and pairs, and those of the step
that training makes next.

Needs Python with the packages of `scripts/setup --python`, as round_trip_test.py does; otherwise it is skipped (exit
code 77). TRANSLATE_BIN_DIR: the programs' folder.
"""

import dataclasses
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts" / "golden")]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("no step was compared with PyTorch")

import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.nn import functional  # noqa: E402

from model import ModelOptions, Transformer  # noqa: E402
from programs import run, train, write_short_corpus  # noqa: E402

PAIRS = 400
TOLERANCE = 1e-4
MODEL = ModelOptions(d_model=32, num_heads=4, d_ff=64)
TOKENIZER = {"vocab_size": 300, "shared": False}
OPTIMIZER = {"beta1": 0.9, "beta2": 0.98, "epsilon": 1e-9}
TRAINING = {
    "batch_tokens": 300,
    "schedule": "inverse_sqrt",
    "warmup_steps": 20,
    "learning_rate": 0.005,
    "clip_grad_norm": 0.5,
    "precision": "fp32",
    "optimizer": OPTIMIZER,
}
STEPS = 3


def ids(subwords):
    return [subword["id"] for subword in subwords]


def padded(rows, pad):
    width = max(map(len, rows))
    return torch.tensor([row + [pad] * (width - len(row)) for row in rows])


def files_in(folder):
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


class StepExplanation(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        write_short_corpus(self.folder, PAIRS)

    def train(self, model, steps=STEPS, **training):
        files = {"source": str(self.folder / "train.en"), "target": str(self.folder / "train.fr")}
        settings = TRAINING | {"max_steps": steps, "checkpoint_every": 1} | training
        return train(self.folder, TOKENIZER, model, steps, data={"train": files}, training=settings)

    def explain(self, *arguments):
        options = ("--config", "config.json", "--run-dir", "run", "--explain-step", "--json")
        return json.loads(run(self.folder, "translate-explain", *options, *arguments))

    def near(self, found, expected, name, tolerance=TOLERANCE):
        self.assertLessEqual(abs(found - expected), tolerance * max(abs(expected), 1e-3), f"{name}: {found}, {expected}")

    def load(self, checkpoint, step):
        """The model of a checkpoint, by the pairs that were explained."""
        weights = load_file(checkpoint / "model.safetensors")
        sizes = [weights[f"{side}_embed.embedding.weight"].size(0) for side in ("src", "tgt")]
        model = Transformer(MODEL, *sizes, pad=step["target"]["pad"])
        model.load_state_dict(weights)
        return model

    def losses(self, model, step):
        """The losses at each position of each pair, and their mean, whose gradient is taken."""
        pairs = step["batches"][0]["pairs"]
        pad = step["target"]["pad"]
        encoder_input, decoder_input = (
            padded([ids(pair[side]) for pair in pairs], pad) for side in ("encoder_input", "decoder_input")
        )
        self.assertEqual(list(encoder_input.shape), step["batches"][0]["encoder_input_shape"])
        self.assertEqual(list(decoder_input.shape), step["batches"][0]["decoder_input_shape"])
        logits = model(encoder_input, decoder_input)
        total, count = 0.0, 0
        for pair, rows in zip(pairs, logits):
            label = torch.tensor(ids(pair["label"]))
            rows = rows[: len(label)]
            plain = functional.cross_entropy(rows, label, reduction="none")
            smoothed = functional.cross_entropy(rows, label, reduction="none", label_smoothing=0.1)
            for position in range(len(label)):
                self.near(pair["loss"][position], plain[position].item(), "loss")
                self.near(pair["minimised_loss"][position], smoothed[position].item(), "minimised_loss")
            self.assertEqual(ids(pair["decoder_input"])[1:], ids(pair["label"])[:-1])
            total, count = total + smoothed.sum(), count + len(label)
        self.assertEqual(count, step["batches"][0]["target_tokens"])
        return total / count

    def adam(self, model, checkpoint, step):
        """PyTorch's Adam with the moments of the checkpoint."""
        optimizer = torch.optim.Adam(model.parameters(), lr=step["learning_rate"], betas=(0.9, 0.98), eps=1e-9)
        moments = load_file(checkpoint / "training_state.safetensors")
        for name, parameter in model.named_parameters():
            optimizer.state[parameter] = {
                "step": torch.tensor(float(STEPS)),
                "exp_avg": moments[f"exp_avg.{name}"].clone(),
                "exp_avg_sq": moments[f"exp_avg_sq.{name}"].clone(),
            }
        return optimizer

    def test_a_step_is_that_of_pytorch(self):
        checkpoint = self.train(dataclasses.asdict(MODEL))
        step = self.explain()
        self.assertEqual(step["step"], STEPS + 1)
        self.assertEqual(pathlib.Path(step["start"]).resolve(), checkpoint.resolve())
        self.assertEqual(step["dropout"]["places"], [])
        model = self.load(checkpoint, step)
        loss = self.losses(model, step)
        self.near(step["loss"]["minimised"], loss.item(), "loss")
        self.near(step["loss_without_dropout"]["minimised"], loss.item(), "loss without dropout")
        loss.backward()
        norms = {entry["name"]: entry for entry in step["parameters"]}
        parameters = dict(model.named_parameters())
        self.assertEqual(list(norms), list(parameters))
        for name, parameter in parameters.items():
            self.assertEqual(norms[name]["shape"], list(parameter.shape))
            self.near(norms[name]["gradient_norm"], parameter.grad.norm().item(), f"gradient of {name}")
            self.near(norms[name]["weight_norm"], parameter.norm().item(), f"norm of {name}")
        weight, example = step["weight"], parameters[step["weight"]["parameter"]]
        index = tuple(weight["index"])
        self.near(weight["before"], example[index].item(), "weight")
        self.near(weight["gradient"], example.grad[index].item(), "gradient of the weight")
        total = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5).item()
        self.assertGreater(total, 0.5)
        self.near(step["gradient_norm"], total, "norm of all gradients")
        self.near(step["clipped_norm"], 0.5, "norm after clipping")
        self.near(weight["clipped_gradient"], example.grad[index].item(), "clipped gradient of the weight")
        optimizer = self.adam(model, checkpoint, step)
        before = {name: parameter.detach().clone() for name, parameter in parameters.items()}
        optimizer.step()
        for name, parameter in parameters.items():
            update = (parameter.detach() - before[name]).norm().item()
            self.near(norms[name]["update_norm"], update, f"update of {name}")
        self.near(weight["after"], example[index].item(), "weight after the step")
        for moment in ("exp_avg", "exp_avg_sq"):
            expected = optimizer.state[example][moment][index].item()
            self.assertAlmostEqual(weight[moment] / expected, 1.0, delta=TOLERANCE)

    def test_the_target_is_that_of_pytorch(self):
        self.train(dataclasses.asdict(MODEL), steps=1)
        target = self.explain()["target"]
        logits = torch.zeros(1, target["classes"], requires_grad=True)
        functional.cross_entropy(logits, torch.tensor([0]), label_smoothing=0.1).backward()
        row = 1.0 / target["classes"] - logits.grad[0]
        self.near(target["at_label"], row[0].item(), "at the label")
        for key in ("elsewhere", "at_padding"):
            self.assertAlmostEqual(target[key], row[1].item(), delta=1e-7)
        self.near(target["sum"], 1.0, "sum")

    def test_a_step_is_the_next_one_of_the_training(self):
        model = dataclasses.asdict(MODEL) | {"dropout": 0.2, "attention_dropout": 0.1, "layer_drop": 0.0}
        settings = {"accumulation_steps": 2, "word_dropout": {"source": 0.1, "target": 0.05}}
        first = self.train(model, **settings)
        before = files_in(self.folder)
        step = self.explain()
        self.assertEqual(files_in(self.folder), before)
        self.assertEqual(len(step["batches"]), 2)
        self.check_positions(step)
        self.check_dropout(step)
        self.train(model, steps=STEPS + 1, **settings)
        second = first.with_name(f"step-{STEPS + 1:08}")
        old, new = (load_file(folder / "model.safetensors") for folder in (first, second))
        for norms in step["parameters"]:
            name = norms["name"]
            self.near(norms["update_norm"], (new[name].double() - old[name].double()).norm().item(), name, 1e-9)
        weight = step["weight"]
        moments = load_file(second / "training_state.safetensors")
        index = tuple(weight["index"])
        self.assertEqual(weight["after"], new[weight["parameter"]][index].item())
        self.assertEqual(weight["exp_avg"], moments[f"exp_avg.{weight['parameter']}"][index].item())
        self.assertEqual(weight["exp_avg_sq"], moments[f"exp_avg_sq.{weight['parameter']}"][index].item())

    def check_positions(self, step):
        """The losses of the positions have the mean that training has computed, dropout included."""
        pairs = [pair for batch in step["batches"] for pair in batch["pairs"]]
        for key, mean in (("loss", "cross_entropy"), ("minimised_loss", "minimised")):
            values = [value for pair in pairs for value in pair[key]]
            self.near(sum(values) / len(values), step["loss"][mean], key)
        self.assertNotAlmostEqual(step["loss"]["cross_entropy"], step["loss_without_dropout"]["cross_entropy"], 3)

    def check_dropout(self, step):
        places = {place["module"]: place for place in step["dropout"]["places"]}
        self.assertEqual(len(places), len(step["dropout"]["places"]))
        expected = {"src_embed.word_dropout": 0.1, "tgt_embed.word_dropout": 0.05, "src_pos.dropout": 0.2}
        expected |= {"tgt_pos.dropout": 0.2, "encoder.layers.1.self_attention_block.dropout": 0.1}
        expected |= {f"decoder.layers.0.residual_connections.{i}.dropout": 0.2 for i in range(3)}
        expected |= {"decoder.layers.1.feed_forward_block.dropout": 0.2}
        for module, probability in expected.items():
            place = places[module]
            self.assertEqual(place["probability"], probability, module)
            count = 1
            for length in place["shape"]:
                count *= length
            deviation = (probability * (1.0 - probability) / count) ** 0.5
            self.assertLess(abs(place["zeros"] - probability), 5.0 * deviation, module)
            self.near(place["scale"], 1.0 / (1.0 - probability), module)
        self.assertEqual(len(places), 4 + 2 * 4 + 2 * 6)

    def test_a_new_run_leaves_nothing_behind(self):
        self.train(dataclasses.asdict(MODEL), steps=1)
        shutil.rmtree(self.folder / "run")
        before = files_in(self.folder)
        step = self.explain()
        self.assertEqual(files_in(self.folder), before)
        self.assertEqual((step["step"], step["epoch"], step["first_batch"]), (1, 0, 0))
        self.assertEqual(step["start"], "random weights, seed 1")
        self.assertEqual(step["weight"]["exp_avg_before"], 0.0)


if __name__ == "__main__":
    unittest.main()
