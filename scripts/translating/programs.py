"""Calls of translate-infer and translate-eval."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from translating.text import write_lines


class Failed(Exception):
    """A program ended with an error, which it has told on stderr; `code` is 2 where it found what it was given wrong."""

    def __init__(self, program, code):
        super().__init__(f"{program} failed: see above")
        self.code = 2 if code == 2 else 1


def command_of(program):
    """How a program is called in the current folder: by its name where the shell finds this very one, else by its path."""
    found = shutil.which(program.name)
    if found and os.path.realpath(found) == os.path.realpath(program):
        return program.name
    path = pathlib.Path(os.path.abspath(program))
    try:
        relative = path.relative_to(pathlib.Path.cwd())
    except ValueError:
        return str(path)
    return str(relative) if len(relative.parts) > 1 else f"./{relative}"


class Model:
    """A model as translate-infer takes it: checkpoints, and further options such as --threads 2; `raw`: see --raw."""

    def __init__(self, bin_dir, checkpoint, options=(), raw=True):
        self.bin_dir = bin_dir
        self._program = bin_dir / "translate-infer"
        self._arguments = ["--checkpoint", checkpoint, "--raw" if raw else "--no-raw", *options]

    def translate(self, lines, *options):
        """For each line an object of translate-infer --json."""
        return self._run(lines, *options)

    def score(self, pairs):
        """For each pair of texts the log-probabilities of the pieces of the second one, and of its end."""
        lines = (json.dumps({"source": source, "target": target}) for source, target in pairs)
        return [each["token_scores"] for each in self._run(lines, "--score", "--json-input")]

    def _run(self, lines, *options):
        with tempfile.TemporaryDirectory(prefix="translate-") as folder:
            given, answer = pathlib.Path(folder) / "in", pathlib.Path(folder) / "out"
            write_lines(given, lines)
            command = [self._program, *self._arguments, *options, "--json", "--input", given, "--output", answer]
            if code := subprocess.run(list(map(str, command)), check=False).returncode:
                raise Failed("translate-infer", code)
            with answer.open(encoding="utf-8") as objects:
                return [json.loads(each) for each in objects]


def evaluate(bin_dir, hypotheses, references, metric, *options):
    """The corpus's score by translate-eval."""
    with tempfile.TemporaryDirectory(prefix="translate-") as folder:
        path = pathlib.Path(folder) / "hypotheses"
        write_lines(path, hypotheses)
        command = [bin_dir / "translate-eval", "--hypotheses", path, "--reference", *references, "--metrics", metric,
                   "--json", "--quiet", *options]
        result = subprocess.run(list(map(str, command)), check=False, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        raise Failed("translate-eval", result.returncode)
    return json.loads(result.stdout)[metric]["score"]


def sentence_scores(bin_dir, hypotheses, references, metric):
    """Of each line, by translate-eval --sentence-scores."""
    with tempfile.TemporaryDirectory(prefix="translate-") as folder:
        reference, scores = pathlib.Path(folder) / "reference", pathlib.Path(folder) / "scores.jsonl"
        write_lines(reference, references)
        evaluate(bin_dir, hypotheses, [reference], metric, "--sentence-scores", scores)
        with scores.open(encoding="utf-8") as objects:
            return [json.loads(each)[metric] for each in objects]
