"""Runs the programs in a folder of the test's own."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CORPUS = ROOT / "data" / "en-fr"
BIN_DIR = pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build" / "release" / "bin"))


def run(folder, program, *arguments, text=""):
    """A program's stdout, on one thread. Its failure is the test's."""
    return run_program(program, "--threads", "1", *arguments, text=text, folder=folder)


def run_program(program, *arguments, text="", folder=None):
    """A program's stdout. Its failure is the test's."""
    command = [BIN_DIR / program, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def write_short_corpus(folder, train_pairs, validation_pairs=4):
    """Writes the first pairs of the embedded corpus: train.en, train.fr, validation.en, validation.fr."""
    for split, count in (("train", train_pairs), ("validation", validation_pairs)):
        for language in ("en", "fr"):
            lines = (CORPUS / f"{split}.{language}").read_text(encoding="utf-8").splitlines(keepends=True)
            (folder / f"{split}.{language}").write_text("".join(lines[:count]), encoding="utf-8")


def train(folder, tokenizer, model, steps, **others):
    """Trains on the embedded corpus; the folder of the checkpoint. `others`: further objects of the configuration."""
    files = {part: {"source": str(CORPUS / f"{part}.en"), "target": str(CORPUS / f"{part}.fr")} for part in ("train",)}
    training = {
        "batch_tokens": 500,
        "max_steps": steps,
        "schedule": "constant",
        "warmup_steps": 20,
        "learning_rate": 0.005,
        "checkpoint_every": steps,
    }
    config = {"data": files, "tokenizer": tokenizer, "model": model, "training": training} | others
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    run(folder, "translate-train", "--config", "config.json", "--run-dir", "run")
    return folder / "run" / "checkpoints" / f"step-{steps:08}"


def translate(folder, lines, *arguments):
    """(translations, their pieces), a line each."""
    options = ["--json", "--raw", "--beam-size", "1", "--precision", "fp32", *arguments]
    output = run(folder, "translate-infer", *options, text="".join(line + "\n" for line in lines))
    found = [json.loads(line) for line in output.splitlines()]
    return [item["translation"] for item in found], [item["tokens"] for item in found]


def test_sentences(count):
    return (CORPUS / "test.en").read_text(encoding="utf-8").split("\n")[:count]
