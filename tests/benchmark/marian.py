#!/usr/bin/env python3
"""Translating with a model in Marian's form, here and by Marian itself (pymarian), on one core, greedily, in turn."""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from golden import marian_bin  # noqa: E402

DETAILS = """
MODEL is a folder that `translate-export --format marian` has written, with .spm vocabularies. Both sides translate the
text in single precision and with 8 bits; Marian's matrices of 8 bits are written here in its type intgemm8, all but the
embeddings, which its mainline keeps in single precision. --shortlist FILE gives both the same shortlist. Times are the
processor's: of translate-infer as a whole, its start included; of Marian without start and loading, with the fastest of
--batches. Printed: words a second (medians), their ratio, and how many lines are the same in single precision.
"""

MARIAN = """
import json, sys, time, pymarian
settings, lines = json.load(sys.stdin)
translator = pymarian.Translator(beam_size=1, normalize=1, max_length_factor=2, quiet=True, cpu_threads=1, maxi_batch=100,
                                 maxi_batch_sort="src", **settings)
translator.translate(lines[:50])
begin = time.process_time()
translations = translator.translate(lines)
print(json.dumps([time.process_time() - begin, translations]))
"""


def with_bytes(folder, output):
    """Writes the model of a folder with matrices of 8 bits, in the numbers of types that mainline Marian has."""
    import numpy
    arrays = dict(numpy.load(folder / "model.npz"))
    settings = arrays.pop("special:model.yml")
    items, _ = marian_bin.quantize(arrays)
    items = {name: arrays[name] if "Wemb" in name else item for name, item in items.items()
             if not name.endswith("QuantMultA")}
    marian_bin.INTGEMM8 = 0x10001
    output.write_bytes(marian_bin.container({**items, "special:model.yml": settings}))


def by_marian(model, folder, lines, batch, shortlist):
    """Returns the time and the translations."""
    settings = {"models": [str(model)], "vocabs": [str(folder / f"{side}.spm") for side in ("source", "target")],
                "mini_batch": batch, **({"shortlist": [str(shortlist), "true"]} if shortlist else {})}
    done = subprocess.run([sys.executable, "-c", MARIAN], input=json.dumps([settings, lines]), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"Marian failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def here(folder, lines, precision, shortlist):
    command = [pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build/release/bin")) / "translate-infer",
               "--checkpoint", folder, "--threads", "1", "--precision", precision, "--greedy", "--raw", "--no-split",
               "--log-level", "error", *(["--shortlist", shortlist] if shortlist else [])]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.splitlines()


def speed(result):
    return sum(len(line.split()) for line in result[1]) / result[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, metavar="MODEL")
    parser.add_argument("--input", type=pathlib.Path, required=True)
    parser.add_argument("--shortlist", type=pathlib.Path)
    parser.add_argument("--batches", default="32,64,128", help="batches of Marian, in sentences (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    lines = arguments.input.read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        of_bytes = pathlib.Path(folder) / "model.bin"
        with_bytes(arguments.model, of_bytes)
        for precision, model in (("fp32", arguments.model / "model.npz"), ("int8", of_bytes)):
            def marian(batch, model=model):
                return by_marian(model, arguments.model, lines, batch, arguments.shortlist)
            batch = max(map(int, arguments.batches.split(",")), key=lambda batch: speed(marian(batch)))
            pairs = [(here(arguments.model, lines, precision, arguments.shortlist), marian(batch))
                     for _ in range(arguments.rounds)]
            ours, theirs = (statistics.median(map(speed, side)) for side in zip(*pairs))
            ratio = statistics.median(speed(one) / speed(other) for one, other in pairs)
            same = sum(one == other for one, other in zip(pairs[0][0][1], marian(1)[1])) if precision == "fp32" else 0
            print(f"{precision}: {ours:.0f} words/s here, {theirs:.0f} by Marian (batches of {batch}): {ratio:.2f} times"
                  + (f"; {same} of {len(lines)} lines are the same" if same else ""), flush=True)


if __name__ == "__main__":
    main()
