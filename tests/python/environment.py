"""The Python environment that tests with PyTorch run in: that of `scripts/setup --python`, in .deps/python, or the one
that the environment variable TRANSLATE_PYTHON names; and how a test ends that lacks something.

A test that lacks what `scripts/setup --dev --python` installs is skipped, or, with TRANSLATE_REQUIRE_ALL=1, fails:
.ci/run must not pass without it. What a machine cannot have (a GPU, namespaces) is no such thing."""

import importlib
import os
import pathlib
import sys

ENVIRONMENT = pathlib.Path(__file__).resolve().parent.parent.parent / ".deps" / "python"
SKIPPED = 77
IS_ALL_REQUIRED = os.environ.get("TRANSLATE_REQUIRE_ALL", "") not in ("", "0")


def find_python():
    """The interpreter to run in, or None."""
    if "TRANSLATE_PYTHON" in os.environ:
        return pathlib.Path(os.environ["TRANSLATE_PYTHON"])
    return ENVIRONMENT / "bin" / "python" if (ENVIRONMENT / "complete").is_file() else None


def skip(message):
    """Ends the program as skipped, or as failed with TRANSLATE_REQUIRE_ALL."""
    if IS_ALL_REQUIRED:
        sys.exit(f"FAILED, as TRANSLATE_REQUIRE_ALL is set: {message}")
    print(f"SKIPPED: {message}", file=sys.stderr)
    sys.exit(SKIPPED)


def enter(what):
    """Goes on in that environment; without one the program ends as skipped, saying that `what` was not done."""
    if "TRANSLATE_PYTHON_FOUND" in os.environ:
        return
    python = find_python()
    if python is None:
        skip(f"{what}: .deps/python is not there, or not whole. To install it:\n  scripts/setup --python\n"
             "TRANSLATE_PYTHON=/path/to/python serves too, with torch, safetensors, sentencepiece and tokenizers")
    if not os.access(python, os.X_OK):
        sys.exit(f"TRANSLATE_PYTHON is {python}, which cannot be run")
    os.environ["TRANSLATE_PYTHON_FOUND"] = str(python)
    os.execv(python, [str(python), *sys.argv])


def require(what, *packages):
    """Ends the program as skipped, saying that `what` was not done, if the environment lacks one of these packages of
    `scripts/setup --python`."""
    for package in packages:
        try:
            importlib.import_module(package)
        except ImportError as error:
            skip(f"{what}: {sys.executable}: {error}. To install the packages:\n  scripts/setup --python")
