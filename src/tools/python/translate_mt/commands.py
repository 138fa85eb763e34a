"""The programs of this package, as commands."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def translate_infer() -> NoReturn:
    """Becomes translate-infer."""
    program = str(pathlib.Path(__file__).parent / "bin" / "translate-infer")
    os.execv(program, ["translate-infer", *sys.argv[1:]])
