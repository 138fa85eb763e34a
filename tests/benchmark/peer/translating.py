"""What the programs share that translate with another system: their command line, and their answers."""

import json
import pathlib
import sys
import time


def add_arguments(parser):
    """The options that all have. --compute-type and the threads are each system's own."""
    add = parser.add_argument
    add("sentence", nargs="?")
    add("--model", type=pathlib.Path, required=True, help="folder of the model, in the system's own format")
    add("--input", type=pathlib.Path)
    add("--output", type=pathlib.Path)
    add("--lines", action="store_true", help="a line out for each line in")
    add("--batch-size", type=int, default=64)
    add("--beam-size", type=int, default=1)
    add("--length-penalty", type=float, default=0.0)
    add("--max-length", type=int, default=256)
    add("--min-length", type=int, default=0)


def read_lines(file):
    return file.read_text(encoding="utf-8").split("\n")[:-1]


class Clock:
    """Started before the libraries are loaded, and looked at when they are."""

    def __init__(self):
        self.begin = time.perf_counter()
        self.import_seconds = None

    def imported(self):
        self.import_seconds = time.perf_counter() - self.begin

    def facts(self):
        return {"import_seconds": self.import_seconds, "all_seconds": time.perf_counter() - self.begin}


def answer(translate, options, clock):
    """Translates as the options say. `translate`: lines -> (translations, what was done), which goes to stderr with the
    times of the clock."""
    if options.lines:
        for line in sys.stdin:
            print(translate([line.rstrip("\n")])[0][0], flush=True)
        return
    if options.sentence is not None:
        translations, facts = translate([options.sentence])
        print(translations[0], flush=True)
    else:
        translations, facts = translate(read_lines(options.input))
        options.output.write_text("".join(line + "\n" for line in translations), encoding="utf-8")
    print(json.dumps(facts | clock.facts()), file=sys.stderr, flush=True)
