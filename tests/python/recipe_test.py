#!/usr/bin/env python3
"""configs/tutorial.json is the recipe of the PyTorch tutorials: the same tokenizer files, and from the same initial
weights and batches the same losses (a smaller model, dropout 0).

By hand, `recipe_test.py --curves STEPS [--dropout P] [--d-model N] [--layers N] [--heads N]` prints both curves of
the loss; with dropout they differ by their random numbers.

Needs Python with the packages of `scripts/setup --python`: that of .deps/python, or the one that the environment
variable TRANSLATE_PYTHON names. Without either it is skipped (exit code 77). TRANSLATE_BIN_DIR: the programs' folder.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("nothing was compared with PyTorch")

import torch  # noqa: E402

import recipe  # noqa: E402
from programs import BIN_DIR, CORPUS, ROOT  # noqa: E402

STEPS = 200
BATCH_SIZE = 8
SEQ_LEN = 24
LEARNING_RATE = 1e-4
SEED = 5


@dataclasses.dataclass(frozen=True)
class Sizes:
    d_model: int = 64
    layers: int = 2
    h: int = 4
    d_ff: int = 128


def corpus(language):
    return (CORPUS / f"train.{language}").read_text(encoding="utf-8").splitlines()


def build_model(tokenizers, sizes, dropout):
    torch.manual_seed(SEED)
    vocab_sizes = [tokenizer.get_vocab_size() for tokenizer in tokenizers]
    return recipe.Transformer(vocab_sizes, SEQ_LEN, sizes.d_model, sizes.layers, sizes.h, sizes.d_ff, dropout)


def train_here(folder, sizes, dropout, steps):
    """Trains from initial.pt in the folder; returns the losses and, for each step, the line numbers of its pairs."""
    settings = {
        "model.d_model": sizes.d_model,
        "model.num_layers": sizes.layers,
        "model.num_heads": sizes.h,
        "model.d_ff": sizes.d_ff,
        "model.dropout": dropout,
        "training.max_steps": steps,
        "training.max_epochs": 0,
        "training.log_every": 1,
        "training.validate_every": steps,
        "training.checkpoint_every": steps,
    }
    arguments = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    run = folder / "run"
    command = [BIN_DIR / "translate-train", "--config", ROOT / "configs" / "tutorial.json", "--run-dir", run]
    command += ["--init", folder / "initial.pt", "--log-level", "debug", *arguments]
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    named = re.findall(r"step \d+: a batch of \d+ pairs?: (.*)", done.stderr)
    batches = [[int(line) for line in re.findall(r"train\.en:(\d+)", pairs)] for pairs in named]
    entries = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    losses = [entry["smoothed_loss"] for entry in entries if entry["kind"] == "train"]
    return losses, batches


def train_there(model, tokenizers, batches):
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, eps=1e-9)
    ids = [
        [tokenizer.encode(line).ids for line in corpus(language)]
        for language, tokenizer in zip(("en", "fr"), tokenizers)
    ]
    losses = []
    for batch in batches:
        pairs = [(ids[0][line - 1], ids[1][line - 1]) for line in batch]
        losses.append(recipe.train_batch(model, optimizer, pairs, SEQ_LEN))
    return losses


def train_both(folder, sizes, dropout, steps, double=False):
    """(losses here, losses in PyTorch, line numbers of each batch), from the same weights and batches. `double`: PyTorch
    computes in double precision."""
    tokenizers = [recipe.build_tokenizer(corpus(side), folder / f"tokenizer_{side}.json") for side in ("en", "fr")]
    model = build_model(tokenizers, sizes, dropout)
    torch.save({"epoch": 0, "model_state_dict": model.state_dict(), "global_step": 0}, folder / "initial.pt")
    here, batches = train_here(folder, sizes, dropout, steps)
    return here, train_there(model.double() if double else model, tokenizers, batches), batches


class Recipe(unittest.TestCase):
    def setUp(self):
        torch.set_num_threads(1)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-recipe-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def test_the_same_files_and_losses(self):
        # In single precision PyTorch's own rounding adds up to 1.6e-4 over these updates.
        here, there, batches = train_both(self.folder, Sizes(), dropout=0.0, steps=STEPS, double=True)
        for side, name in (("en", "source"), ("fr", "target")):
            ours = (self.folder / "run" / "tokenizers" / f"{name}.json").read_text(encoding="utf-8")
            theirs = (self.folder / f"tokenizer_{side}.json").read_text(encoding="utf-8")
            self.assertEqual(json.loads(ours), json.loads(theirs))
        self.assertEqual((len(here), len(there)), (STEPS, STEPS))
        self.assertTrue(all(len(batch) == BATCH_SIZE for batch in batches))
        largest = max(abs(one - other) for one, other in zip(here, there))
        self.assertLess(largest, 1e-4)  # 2.8e-5 was seen
        self.assertLess(statistics.mean(here[-20:]), here[0] - 0.5)  # it learnt: equal losses of no learning show little
        print(f"{STEPS} losses, from {here[0]:.4f} to {here[-1]:.4f}; largest difference {largest:.1e}", file=sys.stderr)


def print_curves(options):
    sizes = Sizes(options.d_model, options.layers, options.heads, 4 * options.d_model)
    with tempfile.TemporaryDirectory(prefix="translate-recipe-") as folder:
        here, there, _ = train_both(pathlib.Path(folder), sizes, options.dropout, options.curves)
    width = max(options.curves // 10, 1)
    print("| steps | loss here | loss in PyTorch | difference |\n| --- | --- | --- | --- |")
    for begin in range(0, len(here), width):
        one, other = (statistics.mean(losses[begin : begin + width]) for losses in (here, there))
        print(f"| {begin + 1} to {min(begin + width, len(here))} | {one:.4f} | {other:.4f} | {one - other:+.4f} |")
    print(f"largest difference of a step: {max(abs(one - other) for one, other in zip(here, there)):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curves", type=int, metavar="STEPS", help="train both this long and print their losses")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--d-model", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--heads", type=int, default=4)
    options = parser.parse_args()
    if options.curves:
        print_curves(options)
    else:
        unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
