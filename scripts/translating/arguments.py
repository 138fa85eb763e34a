"""What the command lines of the scripts that translate have in common."""

import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT_BIN_DIR = ROOT / "build" / "release" / "bin"


def integer(least, most):
    """The type of an argument that takes whole numbers from `least` to `most`."""
    def read(text):
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected an integer from {least} to {most}, got {text!r}")
        return int(text)
    return read


def seeds(text):
    """The type of an argument that takes comma-separated whole numbers, each once; they stay texts."""
    numbers = text.split(",")
    if not all(re.fullmatch(r"[0-9]+", each) for each in numbers) or len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"expected whole numbers, each once, with commas between, got {text!r}")
    return numbers


def add_bin_dir(parser):
    """The option that says where the programs are."""
    parser.add_argument("--bin-dir", type=pathlib.Path, metavar="DIR", default=DEFAULT_BIN_DIR,
                        help="the folder of the programs (default: build/release/bin)")


def check_bin_dir(parser, folder, programs=("translate-infer", "translate-eval")):
    """Ends with a message where the programs are not there."""
    for name in programs:
        if not (folder / name).is_file():
            parser.error(f"--bin-dir: {folder / name} is not there: build it (cmake --build --preset release), or say "
                         "where it is")


def own_and_rest(arguments):
    """The arguments of a script, and those behind `--`, which are a program's."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:end], arguments[end + 1:]
