"""Short trials of CTranslate2's settings, to have it run with its best ones."""

import contextlib
import dataclasses
import math
import statistics

from compare.engines import BACKENDS, Setting
from compare.processes import Worker

FIRST = 4  # lines that tell whether a setting is hopeless
HOPELESS = 10  # times as slow as the best one so far: more than a larger batch can make up for
SHORT = 64  # lines whose time tells how many a trial is to have
SENTENCES = 30  # one by one
BATCHES_TRIED_ON = 3  # settings, those that did best with the first batch


@dataclasses.dataclass
class Trial:
    """A setting and its sentences a second."""

    setting: Setting
    lines_per_second: float

    def as_json(self):
        return {"name": self.setting.name(), "lines_per_second": self.lines_per_second}


def layouts(threads):
    """[(batches at a time, threads of each)]: all that use all threads."""
    return [(count, threads // count) for count in range(1, threads + 1) if threads % count == 0]


class Peers:
    """Starts CTranslate2 in one setting after the other."""

    def __init__(self, program, model, text, logs):
        self.command = [*program, "--serve", "--model", model, "--input", text]
        self.logs = logs

    @contextlib.contextmanager
    def started(self, setting, search):
        command = [*self.command, *setting.arguments(), *search.arguments()]
        worker = Worker(setting.name(), command, self.logs / "trial.log", setting.environment())
        try:
            yield worker, worker.answer()["compute_type"]
        finally:
            worker.close()


def settings_of(supported, threads, wanted):
    """All settings but for the batches. `supported`: {backend: its compute types}; `wanted`: compute types, or None."""
    return [
        Setting(backend, compute_type, inter, intra)
        for backend in BACKENDS
        for compute_type in sorted(supported[backend])
        if wanted is None or compute_type in wanted
        for inter, intra in layouts(threads)
    ]


def rate(worker, lines, batch):
    answer = worker.ask(lines=lines, batch=batch)
    return answer["lines"] / answer["seconds"]


def tried(worker, batch, seconds, best):
    """The rate over about `seconds`, or the whole text; over a few lines if they show that `best` is out of reach."""
    rate(worker, FIRST, batch)  # pays for what is made once
    first = rate(worker, FIRST, batch)
    if first * HOPELESS < best:
        return first
    rate(worker, SHORT, batch)
    lines = max(SHORT, int(seconds * rate(worker, SHORT, batch)))
    return rate(worker, lines, batch)


def try_settings(peers, search, settings, batches, seconds, say):
    """Trials of the settings with the first batch, and of the best ones with the others; the fastest first."""
    trials = {}

    def book(worker, setting):
        trials[setting] = tried(worker, setting.batch, seconds, max(trials.values(), default=0))
        say(f"  {trials[setting]:9,.1f} sentences/s: {setting.name()}")

    for setting in settings:
        with peers.started(setting, search) as (worker, compute_type):
            resolved = dataclasses.replace(setting, compute_type=compute_type, batch=batches[0])
            if resolved not in trials:  # int8 is int8_float32 there
                book(worker, resolved)
    for setting in sorted(trials, key=trials.get, reverse=True)[:BATCHES_TRIED_ON]:
        with peers.started(setting, search) as (worker, _):
            for batch in batches[1:]:
                book(worker, dataclasses.replace(setting, batch=batch))
    return [Trial(setting, trials[setting]) for setting in sorted(trials, key=trials.get, reverse=True)]


def finalists(trials, count):
    """The best settings, each compute type's best only."""
    best = {}
    for trial in trials:
        best.setdefault(trial.setting.compute_type, trial.setting)
    return list(best.values())[:count]


def best_for_one(peers, search, settings):
    """The setting that translates sentences one by one the fastest: one batch at a time, all threads or one."""
    times = {}
    for setting in settings:
        with peers.started(setting, search) as (worker, compute_type):
            resolved = dataclasses.replace(setting, compute_type=compute_type, batch=None)
            if resolved not in times:
                seconds = worker.ask(one_by_one=2)["seconds"]  # the first one pays for what is made once
                if seconds[-1] < HOPELESS * min(times.values(), default=math.inf):
                    seconds = worker.ask(one_by_one=SENTENCES)["seconds"]
                times[resolved] = statistics.median(seconds)
    return min(times, key=times.get)
