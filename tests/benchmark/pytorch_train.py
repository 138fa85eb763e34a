#!/usr/bin/env python3
"""The PyTorch side of scripts/benchmark-peers: trains on the batches that export_batches wrote.

By itself it trains some steps and prints their speed:
  pytorch_train.py --batches FOLDER --set precision=bf16 --set dropout=pool --steps 20
With --serve it answers commands on stdin, a line of JSON each: {"first": N, "count": N} trains on these batches.
With --check it compares the first batch's loss and gradients, without dropout, with those of our side.
"""

import argparse
import dataclasses
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import torch  # noqa: E402

from peer.batches import Batches  # noqa: E402
from peer.training import Training  # noqa: E402
from peer.variants import Variant  # noqa: E402

WARM_UP_STEPS = 3


def peak_memory():
    """Bytes the process has held at most."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) * 1024


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", required=True, metavar="FOLDER", help="what export_batches wrote")
    parser.add_argument("--variant", default=Variant().json(), metavar="JSON", help="see peer/variants.py")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change one of the variant's")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def chosen_variant(arguments):
    variant = json.loads(arguments.variant)
    for setting in arguments.set:
        key, _, value = setting.partition("=")
        if key not in {field.name for field in dataclasses.fields(Variant)}:
            raise SystemExit(f"--set {setting}: a variant has no {key}")
        variant[key] = int(value) if value.isdigit() else value
    return Variant.of(json.dumps(variant))


def serve(training):
    training.warm_up()
    print(json.dumps({"parameters": sum(p.numel() for p in training.parameters)}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        answer = training.run(command["first"], command["count"])
        print(json.dumps(answer | {"peak_memory": peak_memory()}), flush=True)


def main():
    arguments = read_arguments()
    torch.set_num_threads(arguments.threads)
    training = Training(Batches(arguments.batches), chosen_variant(arguments), torch.device(arguments.device))
    if arguments.check:
        print(json.dumps(training.check()))
        return
    if arguments.serve:
        serve(training)
        return
    training.warm_up()
    training.run(0, WARM_UP_STEPS)
    answer = training.run(WARM_UP_STEPS, arguments.steps)
    tokens, seconds = answer["tokens"], answer["seconds"]
    print(training.variant.json())
    print(f"{tokens / seconds:.0f} target tokens/s: {tokens} in {seconds:.1f} s")
    print(f"smoothed loss {answer['smoothed_loss']:.4f}, peak memory {peak_memory() >> 20} MiB")


if __name__ == "__main__":
    main()
