#!/usr/bin/env python3
"""Translates lines of HTML with CTranslate2 and the tag injection of Argos Translate (packages argostranslate and
translatehtml, installed without what they need beside CTranslate2, SentencePiece and Beautiful Soup).

argos_tags.py MODEL LINES: MODEL is a folder that translate-export --format ctranslate2 has written.
"""

import importlib.util
import json
import pathlib
import sys
import types

sys.dont_write_bytecode = True

import bs4  # noqa: E402
import ctranslate2  # noqa: E402
import sentencepiece  # noqa: E402


def module(name, path):
    """A module of a package whose other modules would load what is not installed."""
    spec = importlib.util.spec_from_file_location(name, path)
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def load_argos():
    """argostranslate.tags and translatehtml, without the parts that find and run Argos' own models."""
    root = pathlib.Path(importlib.util.find_spec("argostranslate").submodule_search_locations[0])
    package = types.ModuleType("argostranslate")
    package.__path__ = [str(root)]
    sys.modules["argostranslate"] = package
    sys.modules["argostranslate.translate"] = types.SimpleNamespace(ITranslation=object)
    sys.modules["argostranslate.utils"] = types.SimpleNamespace(info=lambda *_: None)
    module("argostranslate.tags", root / "tags.py")
    folder = pathlib.Path(importlib.util.find_spec("translatehtml").submodule_search_locations[0])
    return module("translatehtml.translatehtml", folder / "translatehtml.py")


class Translation:
    """What tag injection translates with."""

    def __init__(self, folder):
        self.vocabularies = [sentencepiece.SentencePieceProcessor(model_file=str(self.tokenizer(folder, side)))
                             for side in ("source", "target")]
        self.translator = ctranslate2.Translator(str(folder), intra_threads=1)

    @staticmethod
    def tokenizer(folder, side):
        return next(path for path in (folder / f"{side}.spm", folder / "source.spm") if path.exists())

    def translate(self, text):
        if not text.strip():
            return text
        pieces = self.vocabularies[0].encode(text, out_type=str)
        best = self.translator.translate_batch([pieces], beam_size=4, max_decoding_length=256)[0]
        return self.vocabularies[1].decode(best.hypotheses[0])


def main():
    folder, lines = map(pathlib.Path, sys.argv[1:])
    html = load_argos()
    translation = Translation(folder)
    for line in lines.read_text(encoding="utf-8").splitlines():
        soup = bs4.BeautifulSoup(f"<p>{line}</p>", "html.parser")
        translated = html.soup_of_itag(html.translate_tags(translation, html.itag_of_soup(soup)))
        print(str(translated).removeprefix("<p>").removesuffix("</p>"))
    print(json.dumps({"lines": len(lines.read_text(encoding="utf-8").splitlines())}), file=sys.stderr)


if __name__ == "__main__":
    main()
