#!/usr/bin/env python3
"""The pages that the programs write or serve, made from small data and checked in headless Chromium by
evaluation_report_check.py, attention_page_check.py, learn_page_check.py, translation_page_check.py and
training_page_check.py. Skipped where the Python package playwright or a Chromium is missing."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

from environment import SKIPPED
from programs import BIN_DIR, CORPUS, run, train
from served import ServerProcess

LINES = 60
LONG = " and ".join(["the little girl reads a long book in the quiet garden behind the old house"] * 3)


def check(script, *page):
    """Ends the program where the page is not as it should be, or cannot be checked here."""
    done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name(script), *page], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode if done.returncode == SKIPPED else f"{script} {page}: exit code {done.returncode}")


def check_served(folder):
    """The pages of a server, under its rules of what a page may do: to translate with, and to experiment with."""
    command = [BIN_DIR / "translate-serve", "--threads", "1", "--port", "0", "--run-dir", "run", "--learn"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
        address = next(filter(None, (re.search(r"listening on (http://\S+)", line) for line in server.stderr)))
        try:
            check("learn_page_check.py", "--server", address[1])
            check("translation_page_check.py", address[1])
        finally:
            server.terminate()
            server.stderr.read()


def training_page(folder):
    """The page of two runs, one of which validates and shows translations."""
    train(folder, {"type": "bpe", "vocab_size": 200}, {"d_model": 16, "num_heads": 2, "num_layers": 1, "d_ff": 32}, steps=20)
    files = {"source": str(CORPUS / "validation.en"), "target": str(CORPUS / "validation.fr")}
    more = {"data.validation": json.dumps(files), "training.validate_every": 10, "training.show_translations": 2,
            "training.log_every": 2}  # fmt: skip
    settings = [part for key, value in more.items() for part in ("--set", f"{key}={value}")]
    run(folder, "translate-train", "--config", "config.json", "--run-dir", "other", *settings)
    with ServerProcess([BIN_DIR / "translate-serve", "--training", folder / "run", folder / "other"]) as server:
        check("training_page_check.py", f"http://127.0.0.1:{server.port}")


def write(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def evaluation_page(folder):
    """Translations with all kinds of errors beside two other systems."""
    source = (CORPUS / "test.en").read_text(encoding="utf-8").splitlines()[:LINES]
    references = (CORPUS / "test.fr").read_text(encoding="utf-8").splitlines()[:LINES]
    shortened = [line if number % 3 else " ".join(line.split()[:-1]) for number, line in enumerate(references)]
    odd = ["", "</script><script>document.title = 'x'</script>", "<b>le chat</b> & « toi »", *shortened[3:]]
    for name, lines in (("source.en", source), ("right.fr", references), ("ours.fr", odd), ("a.fr", shortened),
                        ("b.fr", source)):
        write(folder / name, lines)
    run(folder, "translate-eval", "--hypotheses", "ours.fr", "--reference", "right.fr", "--against", "a.fr", "b.fr",
        "--html", "evaluation.html")
    check("evaluation_report_check.py", folder / "evaluation.html")


def model_pages(folder):
    """The pages of a model: of attention, with a short sentence and one that is longer than its boxes, and to experiment
    with."""
    train(folder, {"type": "bpe", "vocab_size": 400},
          {"d_model": 32, "num_heads": 2, "num_layers": 2, "d_ff": 64, "dropout": 0.0}, steps=60)
    write(folder / "in.en", ["The cat sat.", LONG])
    run(folder, "translate-explain", "--run-dir", "run", "--input", "in.en", "--attention", "attention.html")
    check("attention_page_check.py", folder / "attention.html")
    run(folder, "translate-explain", "--run-dir", "run", "--max-length", "30", "--learn", "learn.html", "The cat sat.",
        "The dog slept.")
    check("learn_page_check.py", folder / "learn.html")
    check_served(folder)


def main():
    with tempfile.TemporaryDirectory() as name:
        evaluation_page(pathlib.Path(name))
        model_pages(pathlib.Path(name))
    with tempfile.TemporaryDirectory() as name:
        training_page(pathlib.Path(name))


if __name__ == "__main__":
    main()
