#!/usr/bin/env python3
"""Converts one of our checkpoints, or a MarianMT folder, for CTranslate2."""

import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
from ctranslate2.converters import TransformersConverter  # noqa: E402

from compare.checkpoints import is_marian  # noqa: E402
from peer.ctranslate2_model import CannotConvert, OurConverter, special_pieces  # noqa: E402

SETTINGS = "translate.json"  # what ctranslate2_translate.py has to know besides the model


def write_settings(output, folder, never_generated, source_end):
    """`source_end`: the pieces that a source needs at its end, where CTranslate2 does not add them itself."""
    settings = {side: str((pathlib.Path(folder) / f"{side}.spm").resolve()) for side in ("source", "target")}
    settings |= {"never_generated": never_generated, "source_end": source_end}
    (pathlib.Path(output) / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def convert_marian(folder, output):
    """By CTranslate2's own converter, which leaves the pad out."""
    TransformersConverter(str(folder)).convert(str(output), force=True)
    write_settings(output, folder, [], ["</s>"])


def convert(checkpoint, output):
    if is_marian(checkpoint):
        convert_marian(checkpoint, output)
        return
    converter = OurConverter(checkpoint)
    converter.convert(str(output), force=True)
    special = special_pieces(converter.target)
    write_settings(output, converter.checkpoint, [special["sos"], special["pad"]], [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=pathlib.Path, required=True, help="its folder")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="folder of the converted model")
    arguments = parser.parse_args()
    try:
        convert(arguments.checkpoint, arguments.output)
    except CannotConvert as failure:
        raise SystemExit(f"{arguments.checkpoint}: cannot be converted for CTranslate2: {failure}") from failure


if __name__ == "__main__":
    main()
