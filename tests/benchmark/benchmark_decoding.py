#!/usr/bin/env python3
"""Translates with translate-infer, CTranslate2 and transformers in turn, with the same weights, and compares.
scripts/benchmark-peers prepares what this needs and runs it."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCES = pathlib.Path(__file__).resolve().parent
ROOT = SOURCES.parent.parent
sys.path.insert(0, str(SOURCES))
from compare import checkpoints, search_report  # noqa: E402
from compare.decoding import Contest  # noqa: E402
from compare.engines import Search  # noqa: E402
from compare.options import has_bf16_arithmetic, path, say, some_of  # noqa: E402
from compare.processes import Failed  # noqa: E402
from compare.settings import MODELS  # noqa: E402

OPUS = "opus"  # the shape of OPUS-MT's models, with random weights
FIXED_LENGTH = 24  # pieces of each translation by random weights, which end anywhere
CORPUS = ROOT / "data" / "multi30k-en-fr"
BATCHES = "64,32,128,256,1024t,2048t,4096t,8192t"


def batch_sizes(text):
    """64,1024t -> [(64, "examples"), (1024, "tokens")]"""
    if not re.fullmatch(r"[1-9]\d*t?(,[1-9]\d*t?)*", text):
        raise argparse.ArgumentTypeError(f"{text}: expected sizes such as 64,1024t, where t stands for tokens")
    return [(int(size.rstrip("t")), "tokens" if size.endswith("t") else "examples") for size in text.split(",")]


def numbers(text):
    return [int(number) for number in text.split(",")]


def read_arguments():
    parser = argparse.ArgumentParser(prog="benchmark-peers decode", description=__doc__)
    add = parser.add_argument
    add("--checkpoint", type=path, action="append", default=[], help="a checkpoint's or MarianMT's folder (repeatable)")
    add("--model", type=some_of([*MODELS, OPUS]), default=["tiny", "base"], help="made first, without --checkpoint")
    add("--minutes", type=float, default=30, help="of that training, each")
    add("--precision", type=lambda text: text.split(","), help="of our side (default: those that pay here)")
    add("--beam-size", type=numbers, default=[1, 5], help="searches; 1 is greedy")
    add("--length-penalty", type=float, default=0.0, help="of both sides (0: no normalisation by length)")
    add("--max-length", type=int, default=256, help="pieces of a translation at most, of both sides")
    add("--fixed-length", type=int, help=f"pieces of every translation, on all sides ({OPUS}: {FIXED_LENGTH})")
    add("--transformers", action=argparse.BooleanOptionalAction, default=True, help="whether it takes part")
    add("--rounds", type=int, default=5)
    add("--seconds", type=float, default=5, help="that a run takes at least: the text is repeated so often")
    add("--repeat", type=int, help="how often, in place of --seconds")
    add("--trial-seconds", type=float, default=3, help="a setting of CTranslate2 gets before the rounds")
    add("--compute-types", type=lambda text: text.split(","), help="of CTranslate2 (default: all that there are)")
    add("--batches", type=batch_sizes, default=BATCHES, help="of CTranslate2; t: tokens in place of sentences")
    add("--finalists", type=int, default=2, help="settings of CTranslate2 in the rounds, one of each compute type")
    add("--sentences", type=int, default=50, help="one by one, for the latency (0: none)")
    add("--input", type=path, default=CORPUS / "test2016.en", help="text to translate")
    add("--reference", type=path, default=CORPUS / "test2016.fr", help="its translation, for BLEU")
    add("--work", type=path, default=ROOT / "build" / "benchmark-peers" / "decode", help="folder to work in")
    add("--threads", type=int, default=len(os.sched_getaffinity(0)))
    add("--json", type=path, help="also write the results there")
    add("--build", type=path, default=ROOT / "build" / "release", help="folder with the programs")
    return parser.parse_args()


def our_precisions(program):
    """Those that translate-infer knows, but bf16 where the processor lacks its arithmetic."""
    told = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    known = re.search(r"--precision TEXT:\{([^}]*)\}", told)
    if not known:
        raise Failed(f"{program} --help does not tell its precisions: give --precision")
    return [each for each in known[1].split(",") if each != "auto" and (each != "bf16" or has_bf16_arithmetic())]


def models(arguments):
    """{name: folder}: those given, or made for this."""
    if arguments.checkpoint:
        return {f"{number}-{folder.name}": folder for number, folder in enumerate(arguments.checkpoint, start=1)}
    program = arguments.build / "bin" / "translate-train"
    found = {}
    for model in arguments.model:
        if model == OPUS:
            found[model] = arguments.work / "model-opus"
            make_opus(found[model])
            continue
        say(f"{model}: training for {arguments.minutes:g} minutes, where that was not done before")
        folder = arguments.work / f"training-{model}"
        found[model] = checkpoints.train(program, model, CORPUS, folder, arguments.minutes, arguments.threads)
    return found


def make_opus(folder):
    """In a process of its own: what this one holds, its children are taken to have held."""
    if not (folder / "model.safetensors").is_file():
        command = [sys.executable, SOURCES / "make_marian_model.py", "--output", folder]
        text = ["--source", CORPUS / "train.en.gz", "--target", CORPUS / "train.fr.gz"]
        subprocess.run([*command, *text], check=True)


def search_of(arguments, model, beam_size):
    fixed = arguments.fixed_length or (FIXED_LENGTH if model == OPUS else None)
    if fixed:
        return Search(beam_size, arguments.length_penalty, fixed, fixed)
    return Search(beam_size, arguments.length_penalty, arguments.max_length)


def main():
    arguments = read_arguments()
    for file in (arguments.input, arguments.reference):
        if not file.is_file():
            raise SystemExit(f"benchmark-peers: {file} is not there; scripts/get-data multi30k-en-fr gets Multi30k")
    results = []
    try:
        precisions = arguments.precision or our_precisions(arguments.build / "bin" / "translate-infer")
        for name, checkpoint in models(arguments).items():
            contest = Contest(arguments, name, checkpoint)
            for beam_size in arguments.beam_size:
                search = search_of(arguments, name, beam_size)
                result = contest.compare(search, precisions)
                print("\n".join(search_report.lines(name, contest.sizes, result)), flush=True)
                results.append({"model": name} | search_report.as_json(contest.sizes, result))
    except (Failed, subprocess.CalledProcessError) as failure:
        raise SystemExit(f"benchmark-peers: {failure}") from failure
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
