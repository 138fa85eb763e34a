#!/usr/bin/env python3
"""Converts one of our checkpoints for CTranslate2."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
from peer.ctranslate2_model import CannotConvert, OurConverter, special_pieces  # noqa: E402

SETTINGS = "translate.json"  # what ctranslate2_translate.py has to know besides the model


def convert(checkpoint, output):
    converter = OurConverter(checkpoint)
    converter.convert(str(output), force=True)
    special = special_pieces(converter.target)
    settings = {
        "source": str((converter.checkpoint / "source.spm").resolve()),
        "target": str((converter.checkpoint / "target.spm").resolve()),
        "never_generated": [special["sos"], special["pad"]],
    }
    (pathlib.Path(output) / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=pathlib.Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the converted model")
    arguments = parser.parse_args()
    try:
        convert(arguments.checkpoint, arguments.output)
    except CannotConvert as failure:
        raise SystemExit(f"{arguments.checkpoint}: cannot be converted for CTranslate2: {failure}") from failure


if __name__ == "__main__":
    main()
