#!/usr/bin/env python3
"""How fast this machine does the matrix products of a training step, and nothing else.

Answers commands on stdin, a line of JSON each: {"products": [[rows, inner, outer, count], ...], "precision": "bf16",
"seconds": 2} gives the seconds that all of them take, forward (rows x inner by inner x outer) and both gradients.
"""

import argparse
import json
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
import torch  # noqa: E402

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
LEAST_RUNS = 3
GPU_SPAN = 0.005  # seconds between two waits for a GPU: beside them the start of a product and the wait count little


def calls_between_waits(product, wait, span):
    """How often to call product() before a wait, so that what lies between takes `span` seconds at least."""
    calls = 1
    while time_of(product, calls, wait) < span:
        calls *= 2
    return calls


def time_of(product, calls, wait):
    start = time.perf_counter()
    for _ in range(calls):
        product()
    wait()
    return time.perf_counter() - start


def seconds_of(product, budget, wait, span=0.0):
    """The median time of product() within a budget of seconds."""
    calls = calls_between_waits(product, wait, span)
    times = []
    while len(times) < LEAST_RUNS or sum(times) < budget:
        times.append(time_of(product, calls, wait))
    return statistics.median(times) / calls


def measure(products, precision, seconds, device):
    on_gpu = device.type == "cuda"
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    span = GPU_SPAN if on_gpu else 0.0
    total = {"forward": 0.0, "input_gradient": 0.0, "weight_gradient": 0.0}
    budget = seconds / (3 * len(products))
    for rows, inner, outer, count in products:
        x, weight, gradient = (
            torch.randn(size, device=device).to(TYPES[precision])
            for size in ((rows, inner), (outer, inner), (rows, outer))
        )
        results = [torch.empty(size, dtype=x.dtype, device=device) for size in ((rows, outer), x.shape, weight.shape)]
        factors = (x, weight.t()), (gradient, weight), (gradient.t(), x)
        for kind, (left, right), result in zip(total, factors, results, strict=True):

            def product(left=left, right=right, result=result):
                return torch.mm(left, right, out=result)

            total[kind] += count * seconds_of(product, budget, wait, span)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    print("{}", flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(**json.loads(line), device=torch.device(arguments.device))), flush=True)


if __name__ == "__main__":
    main()
