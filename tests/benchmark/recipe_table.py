#!/usr/bin/env python3
"""The table behind the recipes of translate-train FILES: real trainings of several corpora, sizes, times and settings."""

import argparse
import collections
import json
import pathlib
import random
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from translating.arguments import seeds  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

DETAILS = """
A cell is a corpus, a number of its pairs (drawn at random; 0: all), and minutes. In each cell the recipe that
translate-train chooses (`chosen`) is trained, and each variant of --variants, with each seed. A line of that file is a
name and options of translate-train, such as

  wide    --set model.d_model=256 --set model.num_heads=4
  tiny    --config transformer-tiny.json

A variant without --config is the chosen recipe with these options on top. One with --config is trained for the same
time on the text that `chosen` has prepared with the same seed; the time before `chosen` began to train is subtracted.
All are measured on the test set that was held out, by translate-eval with its default options.

Each training is a folder of --output; the same command again goes on where it was stopped, and adds cells to those that
are there. Printed: BLEU of each (the mean over the seeds), how far the last validation is below the best one, and the
time as a share of the time that was given. results.jsonl in --output has a line for each training.

  tests/benchmark/recipe_table.py --output runs/recipe-table --minutes 20 --pairs 3000 --seeds 1,2,3 \\
    --variants variants.txt --corpus multi30k=train.en.gz,train.fr.gz --corpus tatoeba=tatoeba.tsv.xz -- --threads 1
"""

Cell = collections.namedtuple("Cell", "corpus pairs minutes")


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", action="append", required=True, metavar="NAME=FILE[,FILE]",
                        help="two files of lines, or one of pairs, a line each; repeatable")
    parser.add_argument("--pairs", type=numbers, default=[0], metavar="N,...", help="sizes (default: 0, all)")
    parser.add_argument("--minutes", type=numbers, required=True, metavar="M,...", help="times")
    parser.add_argument("--seeds", type=seeds, default=["1"], metavar="A,...", help="default: 1")
    parser.add_argument("--variants", type=pathlib.Path, metavar="FILE", help="what to try beside the chosen recipe")
    parser.add_argument("--output", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--bin-dir", default=ROOT / "build/release/bin", type=pathlib.Path, help="the programs")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="behind --: options of all trainings")
    return parser.parse_args()


def read_variants(path):
    """Names and options, the chosen recipe first."""
    variants = {"chosen": []}
    for line in read_lines(path) if path else []:
        if line.strip() and not line.startswith("#"):
            name, *options = shlex.split(line)
            variants[name] = options
    return variants


def sample(name, files, pairs, folder):
    """Files with so many pairs, drawn at random, in their order."""
    if pairs == 0:
        return files
    lines = [list(read_lines(file)) for file in files]
    chosen = sorted(random.Random(1).sample(range(len(lines[0])), min(pairs, len(lines[0]))))
    samples = []
    for file, side in zip(files, lines):
        path = folder / f"{name}-{pairs}" / pathlib.Path(re.sub(r"\.(gz|xz|zst|bz2)$", "", file)).name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, (side[line] for line in chosen))
        samples.append(path)
    return samples


class Trainings:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = arguments.output
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "results.jsonl"
        self.results = [json.loads(line) for line in read_lines(self.file)] if self.file.exists() else []

    def find(self, cell, variant, seed):
        wanted = {**cell._asdict(), "variant": variant, "seed": seed}
        return next((result for result in self.results if wanted.items() <= result.items()), None)

    def run_dir(self, cell, variant, seed):
        return self.folder / "-".join(map(str, (*cell, variant, seed)))

    def program(self, name, *options):
        return list(map(str, (self.arguments.bin_dir / name, *options)))

    def train(self, cell, files, variant, options, seed):
        """Trains and measures, unless that has been done."""
        if self.find(cell, variant, seed):
            return
        run = self.run_dir(cell, variant, seed)
        minutes = cell.minutes
        if "--config" in options:
            chosen = json.loads((self.run_dir(cell, "chosen", seed) / "config.json").read_text(encoding="utf-8"))
            minutes = chosen["training"]["max_minutes"]
            for key in ("train", "validation", "test"):
                options = [*options, "--set", f"data.{key}={json.dumps(chosen['data'][key])}"]
            files = []
        begin = time.monotonic()
        with (self.folder / f"{run.name}.log").open("w", encoding="utf-8") as log:
            subprocess.run(self.program("translate-train", *files, *options, *self.arguments.options, "--minutes", minutes,
                                        "--seed", seed, "--run-dir", run), check=True, stdout=log, stderr=log)
        taken = (time.monotonic() - begin) / 60
        evaluation = subprocess.run(self.program("translate-eval", "--run-dir", run, "--json", "--quiet",
                                                 *self.arguments.options),
                                    check=True, stdout=subprocess.PIPE, text=True).stdout
        validations = [each["bleu"] for each in map(json.loads, read_lines(run / "metrics.jsonl")) if "bleu" in each]
        shape = json.loads((run / "config.json").read_text(encoding="utf-8"))["model"]
        result = {**cell._asdict(), "variant": variant, "seed": seed, "bleu": json.loads(evaluation)["bleu"]["score"],
                  "best": max(validations), "last": validations[-1], "time": taken / minutes, "d_model": shape["d_model"]}
        self.results.append(result)
        with self.file.open("a", encoding="utf-8") as results:
            results.write(json.dumps(result) + "\n")

    def row(self, cell, variant, wanted_seeds):
        found = [self.find(cell, variant, seed) for seed in wanted_seeds]
        def mean(value):
            return statistics.mean(map(value, found))
        return (f"| {cell.corpus} | {cell.pairs or 'all'} | {cell.minutes} | {variant} | {mean(lambda one: one['bleu']):.2f} | "
                f"{mean(lambda one: one['best'] - one['last']):.2f} | {100 * mean(lambda one: one['time']):.0f} % |")


def main():
    arguments = parse_arguments()
    variants = read_variants(arguments.variants)
    trainings = Trainings(arguments)
    print("| corpus | pairs | minutes | recipe | BLEU | last below best | time |\n|---|---|---|---|---|---|---|", flush=True)
    for corpus in arguments.corpus:
        name, _, files = corpus.partition("=")
        for pairs in arguments.pairs:
            text = sample(name, files.split(","), pairs, trainings.folder / "text")
            for minutes in arguments.minutes:
                cell = Cell(name, pairs, minutes)
                for variant, options in variants.items():
                    for seed in arguments.seeds:
                        trainings.train(cell, text, variant, options, seed)
                    print(trainings.row(cell, variant, arguments.seeds), flush=True)


if __name__ == "__main__":
    main()
