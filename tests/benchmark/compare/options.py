"""What the command lines of the benchmarks share."""

import argparse
import pathlib
import sys

BF16_FLAGS = {"avx512_bf16", "amx_bf16"}  # of /proc/cpuinfo


def say(text):
    print(text, file=sys.stderr, flush=True)


def path(text):
    return pathlib.Path(text).resolve()


def some_of(known):
    """A parser of lists, a,b,c, of things that are known."""

    def parse(text):
        chosen = text.split(",")
        if not set(chosen) <= set(known):
            raise argparse.ArgumentTypeError(f"{text}: known are {', '.join(known)}")
        return chosen

    return parse


def has_bf16_arithmetic():
    """Without it a processor's bf16 products are emulated, and many times slower."""
    return bool(BF16_FLAGS & set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split()))
