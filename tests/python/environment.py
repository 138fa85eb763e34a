"""The Python environment that tests with PyTorch run in: that of `scripts/setup --python`, in .deps/python, or the one
that the environment variable TRANSLATE_PYTHON names."""

import importlib
import os
import pathlib
import sys

ENVIRONMENT = pathlib.Path(__file__).resolve().parent.parent.parent / ".deps" / "python"
SKIPPED = 77


def find_python():
    """The interpreter to run in, or None."""
    if "TRANSLATE_PYTHON" in os.environ:
        return pathlib.Path(os.environ["TRANSLATE_PYTHON"])
    return ENVIRONMENT / "bin" / "python" if (ENVIRONMENT / "complete").is_file() else None


def skip(message):
    """Ends the program as skipped."""
    print(f"SKIPPED: {message}", file=sys.stderr)
    sys.exit(SKIPPED)


def enter(what):
    """Goes on in that environment; without one the program ends as skipped, saying that `what` was not done."""
    if "TRANSLATE_PYTHON_FOUND" in os.environ:
        return
    python = find_python()
    if python is None:
        print(f"SKIPPED: {what}: .deps/python is not there, or not whole. To install it:")
        print("  scripts/setup --python")
        print("TRANSLATE_PYTHON=/path/to/python serves too, with torch, safetensors, sentencepiece and tokenizers")
        sys.exit(SKIPPED)
    if not os.access(python, os.X_OK):
        sys.exit(f"TRANSLATE_PYTHON is {python}, which cannot be run")
    os.environ["TRANSLATE_PYTHON_FOUND"] = str(python)
    os.execv(python, [str(python), *sys.argv])


def require(package, what):
    """Ends the program as skipped where the environment lacks a package of `scripts/setup --python`."""
    try:
        importlib.import_module(package)
    except ImportError as error:
        print(f"SKIPPED: {what}: {error}. To install the packages:\n  scripts/setup --python")
        sys.exit(SKIPPED)
