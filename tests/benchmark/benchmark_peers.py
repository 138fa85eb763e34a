#!/usr/bin/env python3
"""Trains with translate-train and with PyTorch in turn, on the same batches, and compares. scripts/benchmark-peers
prepares what this needs and runs it."""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
SOURCES = pathlib.Path(__file__).resolve().parent
ROOT = SOURCES.parent.parent
sys.path.insert(0, str(SOURCES))
from compare import allocators, report, settings, trials  # noqa: E402
from compare.contest import MatrixRate, OurSide, TheirSide  # noqa: E402
from compare.options import has_bf16_arithmetic, path, say, some_of  # noqa: E402
from compare.processes import Failed, OurTraining, Worker  # noqa: E402

CORPUS = ROOT / "data" / "multi30k-en-fr"
PRECISIONS = ("fp32", "bf16")
WARM_UP_STEPS = 3
PROBE_SECONDS = 3
REPORT_EVERY = {"cpu": 1, "cuda": 20}  # steps: a report waits for the GPU


def usual_precisions(device):
    """fp32, and bf16 unless the processor lacks its arithmetic: its products are then emulated, and many times slower."""
    if device == "cpu" and not has_bf16_arithmetic():
        say("this processor has no bf16 arithmetic: bf16 is left out (--precision bf16 would take it in)")
        return ["fp32"]
    return list(PRECISIONS)


def read_arguments():
    parser = argparse.ArgumentParser(prog="benchmark-peers train", description=__doc__)
    parser.add_argument("--model", type=some_of(settings.MODELS), default=["tiny", "base"])
    parser.add_argument("--precision", type=some_of(PRECISIONS), help="default: those that the processor computes in")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20, help="of our side a round (theirs does the same steps)")
    parser.add_argument("--trial-seconds", type=float, default=10, help="a PyTorch variant gets before the rounds")
    parser.add_argument("--variants", type=lambda text: text.split(","), help="only these (default: all)")
    parser.add_argument("--finalists", type=int, default=2, help="PyTorch variants in the rounds, of each precision")
    parser.add_argument("--batches", type=int, default=1200, help="exported; after these the first ones come again")
    parser.add_argument("--source", type=path, default=CORPUS / "train.en.gz", help="text to translate from")
    parser.add_argument("--target", type=path, default=CORPUS / "train.fr.gz", help="its translation")
    parser.add_argument("--work", type=path, default=ROOT / "build" / "benchmark-peers", help="folder to work in")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--json", type=path, help="also write the results there")
    parser.add_argument("--build", type=path, default=ROOT / "build" / "release", help="folder with the programs")
    parser.add_argument("--allocators", type=path, default=ROOT / ".deps" / "allocators", help="folder to look in")
    arguments = parser.parse_args()
    arguments.sources = SOURCES
    arguments.precision = arguments.precision or usual_precisions(arguments.device)
    return arguments


def export(arguments, model):
    """Writes the configuration, batches and weights; the folder and its facts."""
    folder = arguments.work / model
    folder.mkdir(parents=True, exist_ok=True)
    config = settings.configuration(model, arguments.source, arguments.target, REPORT_EVERY[arguments.device])
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    program = arguments.build / "benchmark" / "export_batches"
    command = [program, "--config", "config.json", "--output", ".", "--batches", str(arguments.batches), "--quiet"]
    subprocess.run([*command, "--threads", str(arguments.threads)], cwd=folder, check=True)
    return folder, json.loads((folder / "facts.json").read_text(encoding="utf-8"))


def our_side(arguments, folder, facts, precision):
    command = [arguments.build / "bin" / "translate-train", "--config", folder / "config.json", "--resume", "never"]
    command += ["--precision", precision, "--threads", arguments.threads, "--device", arguments.device]
    run_dir = folder / f"run-{precision}"
    program = OurTraining(f"translate-train {precision}", command, run_dir, run_dir.with_suffix(".log"))
    return OurSide(program, facts, precision)


def matrix_rate(arguments, folder, facts, precision):
    command = [sys.executable, SOURCES / "matrix_rate.py", "--threads", arguments.threads, "--device", arguments.device]
    worker = Worker("matrix_rate", command, folder / f"matrix-rate-{precision}.log")
    worker.answer()
    return MatrixRate(worker, settings.products(facts), precision)


def play(arguments, folder, facts, peers, finalists):
    """Warm-up and rounds; the sides of our training and of the PyTorch loops, and the matrix rates."""
    with contextlib.ExitStack() as stack:
        ours, theirs, rates = [], [], []
        for precision in arguments.precision:
            side = our_side(arguments, folder, facts, precision)
            stack.callback(side.program.close)
            steps = side.warm_up(WARM_UP_STEPS)
            ours.append(side)
            for trial in finalists[precision]:
                worker, _ = peers.start(trial.variant)
                stack.callback(worker.close)
                theirs.append(TheirSide(worker, trial.variant.name, precision))
                theirs[-1].warm_up(steps)
            rates.append(matrix_rate(arguments, folder, facts, precision))
            stack.callback(rates[-1].worker.close)
        for number in range(arguments.rounds):
            for side, rate in zip(ours, rates, strict=True):
                steps = side.round(arguments.seconds)
                rate.round(PROBE_SECONDS)
                for other in theirs:
                    if other.figures.precision == side.figures.precision:
                        other.round(*steps)
            figures = [side.figures for side in ours + theirs]
            latest = [f"{each.precision} {each.name} {each.tokens_per_second[-1]:,.0f}" for each in figures]
            say(f"  round {number + 1}: " + ", ".join(latest))
        return [side.figures for side in ours + theirs], rates


def compare(arguments, model, found):
    say(f"{model}: exporting {arguments.batches} batches")
    folder, facts = export(arguments, model)
    peers = trials.Peers(arguments, folder, found)
    finalists, all_trials = {}, []
    for precision in arguments.precision:
        say(f"{model}, {precision}: trying the PyTorch variants")
        variants = settings.variants(precision, found, arguments.variants, arguments.device)
        tried = trials.try_variants(peers, variants, facts, arguments.trial_seconds, say)
        finalists[precision] = [trial for trial in tried if not trial.refused][: arguments.finalists]
        if not finalists[precision]:
            raise Failed(f"{model}, {precision}: no PyTorch variant takes part")
        all_trials += tried
    say(f"{model}: {arguments.rounds} rounds")
    contenders, rates = play(arguments, folder, facts, peers, finalists)
    for line in report.lines(model, facts, contenders, rates):
        print(line, flush=True)
    return report.as_json(facts, all_trials, contenders, rates)


def main():
    arguments = read_arguments()
    for file in (arguments.source, arguments.target):
        if not file.is_file():
            raise SystemExit(f"benchmark-peers: {file} is not there; scripts/get-data multi30k-en-fr gets Multi30k")
    found = allocators.find(arguments.allocators)
    say(f"allocators for PyTorch: {', '.join(found) or 'none but the default one'}; {arguments.threads} threads")
    try:
        results = {model: compare(arguments, model, found) for model in arguments.model}
    except (Failed, subprocess.CalledProcessError) as failure:
        raise SystemExit(f"benchmark-peers: {failure}") from failure
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
