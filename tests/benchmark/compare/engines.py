"""The sides of a comparison of decoding: how their programs are called, and what a run of them says."""

import dataclasses
import json
import re
import statistics

from compare.processes import Failed, run_to_end

TRANSLATED = re.compile(r"translated (\d+) lines? into (\d+) subwords? in ([\d.]+) s, (\d+) of them truncated")
BACKENDS = {  # of CTranslate2's float and integer products, first one that is never hopeless (search_trials.HOPELESS)
    "onednn": {"CT2_USE_MKL": "0"},
    "mkl": {"CT2_USE_MKL": "1"},
    "mkl-packed": {"CT2_USE_MKL": "1", "CT2_USE_EXPERIMENTAL_PACKED_GEMM": "1"},  # weights are laid out beforehand
}


@dataclasses.dataclass(frozen=True)
class Search:
    """How both sides search."""

    beam_size: int
    length_penalty: float
    max_length: int
    min_length: int = 0

    def name(self):
        return "greedy" if self.beam_size == 1 else f"beam {self.beam_size}"

    def arguments(self):
        """The options, which have the same names for all programs."""
        options = ["--max-length", self.max_length, "--min-length", self.min_length, "--beam-size", self.beam_size]
        return [*options, "--length-penalty", self.length_penalty]


@dataclasses.dataclass(frozen=True)
class Setting:
    """A way to run CTranslate2."""

    backend: str = "mkl"
    compute_type: str = "float32"
    inter_threads: int = 1
    intra_threads: int = 1
    batch: tuple | None = (64, "examples")  # None: one sentence at a time

    def name(self):
        batch = "" if self.batch is None else f", {self.batch[0]} {self.batch[1]}"
        return f"CTranslate2 {self.compute_type} {self.backend} {self.inter_threads}x{self.intra_threads}{batch}"

    def arguments(self):
        """All but the batch."""
        threads = ["--inter-threads", self.inter_threads, "--intra-threads", self.intra_threads]
        return ["--compute-type", self.compute_type, *threads]

    def environment(self):
        return BACKENDS[self.backend]


@dataclasses.dataclass
class Run:
    """One translation of a text."""

    lines: int
    pieces: int  # of the translations, their ends not counted
    seconds: float  # from text to text
    cut_short: int
    whole_seconds: float  # of the process
    peak_memory: int

    def lines_per_second(self):
        return self.lines / self.seconds

    def tokens_per_second(self):
        """Target pieces, the end of each sentence counted."""
        return (self.pieces + self.lines) / self.seconds


@dataclasses.dataclass
class Figures:
    """What one contender did, a run a round."""

    name: str
    precision: str
    ours: bool
    output: str  # file of the translations of the last run
    runs: list = dataclasses.field(default_factory=list)
    bleu: float = None

    def program(self):
        """translate-infer, CTranslate2 or transformers."""
        return self.name.split()[0]

    def speeds(self):
        return [run.lines_per_second() for run in self.runs]

    def median(self):
        return statistics.median(self.speeds())

    def peak_memory(self):
        return max(run.peak_memory for run in self.runs)


class OurSide:
    """translate-infer in one precision."""

    def __init__(self, program, checkpoint, precision, threads, logs):
        self.command = [program, "--checkpoint", checkpoint, "--precision", precision, "--threads", threads]
        self.command += ["--length-penalty-kind", "average"]  # the only kind that CTranslate2 has
        self.command += ["--no-split", "--raw"]  # CTranslate2 translates lines as they are
        self.precision = precision
        self.name = f"translate-infer {precision}"
        self.log = logs / f"translate-infer-{precision}.log"

    def translate(self, search, text, output):
        files = ["--input", text, "--output", output, "--log-level", "debug"]
        ended = run_to_end(self.name, [*self.command, *search.arguments(), *files], self.log)
        found = TRANSLATED.search(ended.told)
        if not found:
            raise Failed(f"{self.name} did not say what it did; see {self.log}")
        lines, pieces, seconds, cut_short = found.groups()
        return Run(int(lines), int(pieces), float(seconds), int(cut_short), ended.seconds, ended.peak_memory)

    def one_sentence(self, search, sentence):
        """Seconds from shell to text; there is no telling how much of it is start-up."""
        ended = run_to_end(self.name, [*self.command, *search.arguments(), "--", sentence], self.log)
        return ended.seconds, None

    def line_by_line(self, search):
        return [*self.command, *search.arguments()], {}


class PeerSide:
    """A Python program with another system in it, which tells what it did in a line of JSON."""

    def __init__(self, name, precision, command, log, environment):
        self.name = name
        self.precision = precision
        self.command = command
        self.log = log
        self.environment = environment

    def batch(self):
        """The options of a translation in batches."""
        raise NotImplementedError

    def run(self, search, *rest):
        ended = run_to_end(self.name, [*self.command, *search.arguments(), *rest], self.log, self.environment)
        return ended, json.loads(ended.told.splitlines()[-1])

    def translate(self, search, text, output):
        ended, told = self.run(search, *self.batch(), "--input", text, "--output", output)
        counts = (told[key] for key in ("lines", "pieces", "seconds", "cut_short"))
        return Run(*counts, ended.seconds, ended.peak_memory)

    def one_sentence(self, search, sentence):
        """Seconds from shell to text, and without the interpreter's start and the imports."""
        ended, told = self.run(search, "--", sentence)
        return ended.seconds, told["all_seconds"] - told["import_seconds"]

    def line_by_line(self, search):
        return [*self.command, *search.arguments(), "--lines"], self.environment


def log_of(name, logs):
    return logs / f"{re.sub('[^a-z0-9]+', '-', name.lower())}.log"


class TheirSide(PeerSide):
    """CTranslate2 in one setting."""

    def __init__(self, program, model, setting, logs):
        command = [*program, "--model", model, *setting.arguments()]
        super().__init__(
            setting.name(), setting.compute_type, command, log_of(setting.name(), logs), setting.environment()
        )
        self.setting = setting

    def batch(self):
        size, kind = self.setting.batch
        return ["--batch-size", size, "--batch-type", kind]


class TransformersSide(PeerSide):
    """Hugging Face's transformers: its only settings are the compute type and the size of a batch."""

    def __init__(self, program, model, compute_type, batch, threads, logs):
        name = f"transformers {compute_type}, {batch} sentences"
        command = [*program, "--model", model, "--compute-type", compute_type, "--threads", threads]
        super().__init__(name, compute_type, command, log_of(name, logs), {"OMP_NUM_THREADS": str(threads)})
        self.size = batch

    def batch(self):
        return ["--batch-size", self.size]
