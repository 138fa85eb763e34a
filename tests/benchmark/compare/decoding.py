"""A comparison of decoding with one model: the same work on all sides, trials, rounds, latency."""

import contextlib
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys

from compare import checkpoints, latency, search_report, search_trials
from compare.contest import MatrixRate
from compare.engines import BACKENDS, Figures, OurSide, Setting, TheirSide, TransformersSide
from compare.options import say
from compare.processes import Failed, Worker

SOURCES = pathlib.Path(__file__).resolve().parent.parent
LEAST_SAME = 0.97  # of the greedy translations in fp32; the others are near ties of two pieces
MATRIX_ROWS = 2048
PROBE_SECONDS = 3
TRIAL_LINES = 128  # for transformers, which has no warm worker
TRANSFORMERS_BATCHES = (16, 64)
COMPUTE_TYPES = "import ctranslate2, json; print(json.dumps(sorted(ctranslate2.get_supported_compute_types('cpu'))))"


def supported_compute_types():
    """{backend: what CTranslate2 can compute in with it}"""
    found = {}
    for backend, environment in BACKENDS.items():
        done = subprocess.run(
            [sys.executable, "-c", COMPUTE_TYPES], env=os.environ | environment, check=True, capture_output=True
        )
        found[backend] = json.loads(done.stdout)
    return found


def bleu(output, reference):
    """Of the first lines, once through the text. By another process: what this one holds, its children are taken to
    have held."""
    count = len(reference.read_text(encoding="utf-8").split("\n")) - 1
    found = pathlib.Path(output).read_text(encoding="utf-8").split("\n")[:count]
    command = [sys.executable, "-m", "sacrebleu", reference, "--score-only", "--width", "2"]
    text = "".join(line + "\n" for line in found)
    return float(subprocess.run(command, input=text, check=True, capture_output=True, encoding="utf-8").stdout)


def has_transformers():
    done = subprocess.run([sys.executable, "-c", "import transformers"], capture_output=True)
    return done.returncode == 0


class Contest:
    """One model, a checkpoint or a MarianMT folder: its copies for all sides, and where their files go."""

    def __init__(self, arguments, name, checkpoint):
        self.arguments = arguments
        self.name = name
        self.folder = arguments.work / name
        self.folder.mkdir(parents=True, exist_ok=True)
        ours = self.our_model(checkpoint)
        self.sizes = checkpoints.read_sizes(ours)
        self.ours = checkpoints.copy_without_ratio(ours, self.folder / "checkpoint")
        self.transformers = self.model_of_transformers(checkpoint)
        self.model = self.folder / "ctranslate2"
        convert = [sys.executable, SOURCES / "convert_to_ctranslate2.py", "--checkpoint", checkpoint]
        subprocess.run([*convert, "--output", self.model], check=True)
        self.lines = arguments.input.read_text(encoding="utf-8").split("\n")[:-1]
        self.peers = search_trials.Peers(self.their_program(), self.model, arguments.input, self.folder)

    def our_model(self, model):
        if not checkpoints.is_marian(model):
            return model
        return checkpoints.imported(self.arguments.build / "bin", model, self.folder / "imported")

    def model_of_transformers(self, model):
        """Its folder; None if transformers is to be left out."""
        if not self.arguments.transformers:
            return None
        if not has_transformers():
            raise Failed(f"{sys.executable} lacks transformers: pip install transformers, or --no-transformers")
        if checkpoints.is_marian(model):
            return model
        folder = checkpoints.exported(self.arguments.build / "bin", model, self.folder / "huggingface")
        if folder is None:
            say(f"{self.name}: transformers has no such model, and is left out")
        return folder

    def fastest_transformers(self, search):
        """[The setting that is the fastest in a short trial], or [] without transformers."""
        if self.transformers is None:
            return []
        say(f"{self.name}, {search.name()}: trying transformers' settings")
        program = [sys.executable, SOURCES / "transformers_translate.py"]
        text = self.folder / "trial.txt"
        text.write_text("".join(line + "\n" for line in self.lines[:TRIAL_LINES]), encoding="utf-8")
        speeds = {}
        for compute_type, batch in itertools.product(("float32", "int8"), TRANSFORMERS_BATCHES):
            side = TransformersSide(
                program, self.transformers, compute_type, batch, self.arguments.threads, self.folder
            )
            speeds[side] = side.translate(search, text, self.folder / "trial-output.txt").lines_per_second()
            say(f"  {speeds[side]:9,.1f} sentences/s: {side.name}")
        return [max(speeds, key=speeds.get)]

    @staticmethod
    def their_program():
        return [sys.executable, SOURCES / "ctranslate2_translate.py"]

    def our_side(self, precision):
        program = self.arguments.build / "bin" / "translate-infer"
        return OurSide(program, self.ours, precision, self.arguments.threads, self.folder)

    def their_side(self, setting):
        return TheirSide(self.their_program(), self.model, setting, self.folder)

    def same(self, search):
        """(translations that are the same on both sides in fp32, all; source pieces)"""
        outputs = self.folder / "same-ours.txt", self.folder / "same-theirs.txt"
        setting = Setting(intra_threads=self.arguments.threads)
        self.our_side("fp32").translate(search, self.arguments.input, outputs[0])
        _, told = self.their_side(setting).run(search, "--input", self.arguments.input, "--output", outputs[1])
        ours, theirs = (file.read_text(encoding="utf-8").split("\n")[:-1] for file in outputs)
        equal = sum(a == b for a, b in zip(ours, theirs, strict=True))
        if search.beam_size == 1 and equal < LEAST_SAME * len(ours):
            raise Failed(f"{self.name}: not the same work: {equal} of {len(ours)} greedy translations agree; {outputs}")
        return (equal, len(ours)), told["source_pieces"]

    def repeated(self, speed):
        """(a file that holds the text so often that a run takes long enough, how often that is)"""
        given = self.arguments
        count = given.repeat or max(1, math.ceil(given.seconds * speed / len(self.lines)))
        text = self.folder / "text.txt"
        text.write_text("".join(line + "\n" for line in self.lines) * count, encoding="utf-8")
        return text, count

    def play(self, search, sides, text):
        """The rounds: [Figures], and multiply-adds a second of the matrix products alone."""
        command = [sys.executable, SOURCES / "matrix_rate.py", "--threads", self.arguments.threads]
        worker = Worker("matrix_rate", command, self.folder / "matrix-rate.log")
        contenders = [Figures(side.name, side.precision, ours, str(self.output(search, side))) for side, ours in sides]
        with contextlib.closing(worker):
            worker.answer()
            rate = MatrixRate(worker, self.sizes.products(MATRIX_ROWS), "fp32")
            for number in range(self.arguments.rounds):
                order = list(zip(sides, contenders, strict=True))
                for (side, _), figures in order if number % 2 == 0 else reversed(order):
                    figures.runs.append(side.translate(search, text, figures.output))
                rate.round(PROBE_SECONDS)
                latest = [f"{each.name} {each.speeds()[-1]:,.1f}" for each in contenders]
                say(f"  round {number + 1}, sentences/s: " + "; ".join(latest))
        return contenders, rate.rates()["forward"] / 2

    @staticmethod
    def output(search, side):
        return side.log.with_suffix(f".beam-{search.beam_size}.txt")

    def trials(self, search):
        given = self.arguments
        say(f"{self.name}, {search.name()}: trying CTranslate2's settings")
        settings = search_trials.settings_of(supported_compute_types(), given.threads, given.compute_types)
        if not settings:
            raise Failed(f"CTranslate2 knows none of the compute types {', '.join(given.compute_types)} here")
        return search_trials.try_settings(self.peers, search, settings, given.batches, given.trial_seconds, say)

    def latencies(self, search, precisions, transformers):
        """Of our precisions, of CTranslate2's setting that is the fastest for one sentence, and of transformers."""
        given = self.arguments
        if not given.sentences:
            return []
        say(f"{self.name}, {search.name()}: {given.sentences} sentences one by one")
        supported = supported_compute_types()
        settings = [
            setting
            for threads in sorted({1, given.threads})
            for setting in search_trials.settings_of(supported, threads, given.compute_types)
            if setting.inter_threads == 1
        ]
        fastest = self.their_side(search_trials.best_for_one(self.peers, search, settings))
        sides = [(self.our_side(precision), True) for precision in precisions] + [(fastest, False)]
        sides += [(side, False) for side in transformers]
        count = min(given.sentences, len(self.lines))
        sentences = [self.lines[i * len(self.lines) // count] for i in range(count)]
        return latency.measure(sides, search, sentences)

    def compare(self, search, precisions):
        given = self.arguments
        same, source_pieces = self.same(search)
        trials = self.trials(search)
        text, count = self.repeated(trials[0].lines_per_second)
        say(f"{self.name}, {search.name()}: {given.rounds} rounds, {given.input.name} x {count} in each run")
        sides = [(self.our_side(precision), True) for precision in precisions]
        sides += [(self.their_side(setting), False) for setting in search_trials.finalists(trials, given.finalists)]
        transformers = self.fastest_transformers(search)
        sides += [(side, False) for side in transformers]
        contenders, rate = self.play(search, sides, text)
        for figures in contenders:
            figures.bleu = bleu(figures.output, given.reference)
        latencies = self.latencies(search, precisions, transformers)
        pieces = source_pieces * count
        return search_report.Result(search, len(self.lines) * count, pieces, same, trials, contenders, latencies, rate)
