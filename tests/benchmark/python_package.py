#!/usr/bin/env python3
"""The Python package translate_mt beside its peers: size, start, first translation, speed."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from translating.text import read_lines, write_lines  # noqa: E402

DETAILS = """
One model for all: a checkpoint of ours, and what translate-export makes of it for CTranslate2 (int8) and for
transformers. Each system is a process of its own, which translates the lines of a file with a beam of 4, and tells how long
importing, opening, the first line and then all lines took; the systems take turns, and medians are printed. translate-infer
is measured as a whole. The last rows are two threads with a thread of work each, and two processes of translate-infer
--threads 1 side by side, of half the lines each.

  tests/benchmark/python_package.py --checkpoint runs/en-fr/best --input test.en --python venv/bin/python \\
    --peer-python .deps/python/bin/python [--old-python venv4/bin/python]

--python has translate_mt, --peer-python ctranslate2, tokenizers, sentencepiece and transformers, --old-python transformers
before version 5, which has the translation pipeline. --checkpoint also takes a folder of MarianMT, which translate_mt and
transformers open as it is; with one of random weights (make_marian_model.py), which never end a sentence, --max-tokens
keeps translations as short as real ones, and --raw keeps translate_mt from searching again where a translation repeats itself.
"""

BEGIN = """
import json, sys, time
begin = time.perf_counter()
folder, file, threads, most, raw = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5] == "True"
"""
END = """
opened = time.perf_counter()
lines = open(file, encoding="utf-8").read().splitlines()
read = time.perf_counter()
translate(lines[:1])
first = time.perf_counter()
translate(lines)
print(json.dumps({"import": imported - begin, "open": opened - imported, "first": first - read,
                  "speed": len(lines) / (time.perf_counter() - first)}))
"""
SYSTEMS = {
    "translate_mt": """
from translate_mt import Translator
imported = time.perf_counter()
translator = Translator(folder, "cpu", intra_threads=threads, compute_type="int8")
translate = lambda lines: translator.translate(lines, beam_size=4, max_decoding_length=most, raw=raw)
""",
    "ctranslate2": """
import ctranslate2, os
if os.path.exists(os.environ["TOKENIZERS"] + "/tokenizer.json"):
    import tokenizers
    imported = time.perf_counter()
    tokenizer = tokenizers.Tokenizer.from_file(os.environ["TOKENIZERS"] + "/tokenizer.json")
    encode = lambda lines: [encoding.tokens for encoding in tokenizer.encode_batch(lines)]
else:
    import sentencepiece
    imported = time.perf_counter()
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=os.environ["TOKENIZERS"] + "/source.spm")
    encode = lambda lines: [tokens + ["</s>"] for tokens in tokenizer.encode(lines, out_type=str)]
translator = ctranslate2.Translator(folder, intra_threads=threads, compute_type="int8")
def translate(lines):
    results = translator.translate_batch(encode(lines), beam_size=4, max_batch_size=32, max_decoding_length=most)
    return ["".join(result.hypotheses[0]).replace("\\u2581", " ") for result in results]
""",
    "transformers generate": """
import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
imported = time.perf_counter()
torch.set_num_threads(threads)
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder)
def translate(lines):
    found = []
    for i in range(0, len(lines), 32):
        with torch.inference_mode():
            ids = model.generate(**tokenizer(lines[i:i + 32], return_tensors="pt", padding=True), num_beams=4,
                                 max_new_tokens=most)
        found += tokenizer.batch_decode(ids, skip_special_tokens=True)
    return found
""",
    "transformers pipeline": """
import torch
from transformers import pipeline
imported = time.perf_counter()
torch.set_num_threads(threads)
made = pipeline("translation_en_to_fr", model=folder, device=-1)
translate = lambda lines: made(lines, num_beams=4, max_length=most + 1, batch_size=32)
""",
}
THREADS = """
import sys, threading, time
from translate_mt import Translator
translator = Translator(sys.argv[1], "cpu", intra_threads=1, compute_type="int8")
options = {"beam_size": 4, "max_decoding_length": int(sys.argv[2]), "raw": sys.argv[3] == "True"}
halves = [open(file, encoding="utf-8").read().splitlines() for file in sys.argv[4:]]
translator.translate(halves[0][:1], **options)
begin = time.perf_counter()
threads = [threading.Thread(target=translator.translate, args=(half,), kwargs=options) for half in halves]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(map(len, halves)) / (time.perf_counter() - begin))
"""


def run(command, **options):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def seconds_together(commands):
    """The seconds that processes take side by side."""
    begin = time.perf_counter()
    processes = [subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL) for command in commands]
    codes = [process.wait() for process in processes]
    if any(codes):
        raise SystemExit("translate-infer failed")
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=pathlib.Path, required=True)
    parser.add_argument("--input", required=True, metavar="FILE")
    parser.add_argument("--python", required=True, metavar="PROGRAM")
    parser.add_argument("--peer-python", metavar="PROGRAM")
    parser.add_argument("--old-python", metavar="PROGRAM")
    parser.add_argument("--bin-dir", default=ROOT / "build/release/bin", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--max-tokens", type=int, default=128, metavar="N", help="of a translation (default: 128)")
    parser.add_argument("--raw", action="store_true", help="without translate_mt's handling of text (docs/text.md)")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines = list(read_lines(arguments.input))
        for name, part in (("all", lines), ("half-1", lines[::2]), ("half-2", lines[1::2])):
            write_lines(folder / name, part)
        checkpoint, of_transformers = arguments.checkpoint, folder / "huggingface"
        if not (checkpoint / "manifest.json").exists():
            checkpoint, of_transformers = folder / "imported", arguments.checkpoint
            run([arguments.bin_dir / "translate-import", arguments.checkpoint, checkpoint], stderr=subprocess.DEVNULL)
        for name in ("ctranslate2", "huggingface"):
            options = ["--precision", "int8"] if name == "ctranslate2" else []
            run([arguments.bin_dir / "translate-export", "--format", name, *options, checkpoint, folder / name],
                stderr=subprocess.DEVNULL)
        models = {"translate_mt": (arguments.python, arguments.checkpoint),
                  "ctranslate2": (arguments.peer_python, folder / "ctranslate2"),
                  "transformers generate": (arguments.peer_python, of_transformers),
                  "transformers pipeline": (arguments.old_python, of_transformers)}
        environment = {**os.environ, "TOKENIZERS": str(folder / "huggingface"), "HF_HUB_OFFLINE": "1"}
        infer = [arguments.bin_dir / "translate-infer", "--checkpoint", arguments.checkpoint, "--device", "cpu", "--precision",
                 "int8", "--beam-size", "4", "--max-length", arguments.max_tokens, "--output", os.devnull,
                 *(["--raw"] if arguments.raw else [])]
        found = {name: [] for name, (python, _) in models.items() if python}
        others = {"translate-infer": [], "two threads": [], "two processes of translate-infer": []}
        for _ in range(arguments.runs):
            for name in found:
                python, model = models[name]
                output = run([python, "-c", BEGIN + SYSTEMS[name] + END, model, folder / "all", arguments.threads,
                              arguments.max_tokens, arguments.raw],
                             env=environment, stderr=subprocess.DEVNULL)
                found[name].append(json.loads(output.splitlines()[-1]))
            whole = [*infer, "--threads", arguments.threads, "--input", folder / "all"]
            others["translate-infer"].append(len(lines) / seconds_together([whole]))
            halves = [folder / "half-1", folder / "half-2"]
            others["two threads"].append(float(run([arguments.python, "-c", THREADS, arguments.checkpoint,
                                                    arguments.max_tokens, arguments.raw, *halves])))
            others["two processes of translate-infer"].append(
                len(lines) / seconds_together([*infer, "--threads", "1", "--input", half] for half in halves))
        print("| | import, s | open, s | first line, s | lines/s |\n|---|---|---|---|---|")
        for name, results in found.items():
            values = {key: statistics.median(result[key] for result in results) for key in results[0]}
            print(f"| {name} | {values['import']:.3f} | {values['open']:.3f} | {values['first']:.3f} | {values['speed']:.1f} |")
        for name, speeds in others.items():
            print(f"| {name} | | | | {statistics.median(speeds):.1f} |")


if __name__ == "__main__":
    main()
