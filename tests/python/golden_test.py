#!/usr/bin/env python3
"""A script that makes golden files would make the tracked ones again: golden_test.py make-metric-golden.

Runs `scripts/SCRIPT --check` with the Python that tests with PyTorch run in (environment.py), else with this one.
Skipped (exit code 77) where that lacks the script's packages, or has others than the tracked files were made with.
"""

import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import environment  # noqa: E402

PACKAGES = {
    "make-alignment-golden": {"torch": "2.11.0"},
    "make-exercise-golden": {"torch": "2.11.0"},
    "make-golden": {"torch": "2.11.0", "numpy": "2.4.6", "safetensors": "0.8.0"},
    "make-metric-golden": {"sacrebleu": "2.6.0", "numpy": "2.4.6"},
    "make-pytorch-golden": {"torch": "2.11.0", "numpy": "2.4.6", "safetensors": "0.8.0"},
    "make-tokenizer-golden": {"tokenizers": "0.23.3"},
}
LOOK = "import importlib.metadata as m, sys; print(*(m.version(name).split('+')[0] for name in sys.argv[1:]))"


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in PACKAGES:
        sys.exit(__doc__)
    script = sys.argv[1]
    python = str(environment.find_python() or sys.executable)
    wanted = PACKAGES[script]
    look = subprocess.run([python, "-c", LOOK, *wanted], capture_output=True, text=True)
    if look.returncode != 0 or look.stdout.split() != list(wanted.values()):
        packages = ", ".join(f"{name} {version}" for name, version in wanted.items())
        environment.skip(f"{script} --check: {python} lacks {packages}; scripts/setup --python installs them")
    settings = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([python, str(ROOT / "scripts" / script), "--check"], env=settings).returncode


if __name__ == "__main__":
    sys.exit(main())
