"""One sentence at a time: a whole process for each, or a warm one that answers line by line."""

import contextlib
import dataclasses
import os
import select
import signal
import statistics
import subprocess
import termios
import time

from compare.processes import Program

PATIENCE_SECONDS = 60
SENTENCES_IN_TURN = 10
LFLAG = 3  # of the attributes of a terminal


@dataclasses.dataclass
class Latency:
    """Seconds of each sentence, by one contender."""

    name: str
    precision: str
    ours: bool
    whole: list = dataclasses.field(default_factory=list)
    without_start: list = dataclasses.field(default_factory=list)
    warm: list = dataclasses.field(default_factory=list)


def percentiles(seconds):
    """(p50, p95)"""
    if len(seconds) < 2:
        return seconds[0], seconds[0]
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return cuts[9], cuts[18]


class LineProgram(Program):
    """A program that answers each line on a terminal with a line on stdout. Between turns it is stopped (SIGSTOP)."""

    def __init__(self, name, command, log, environment):
        self.terminal, theirs = os.openpty()
        attributes = termios.tcgetattr(theirs)
        attributes[LFLAG] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        try:
            super().__init__(name, command, log, environment, stdin=theirs, stdout=subprocess.PIPE)
        finally:
            os.close(theirs)

    def seconds_of(self, sentence):
        """Of the round trip."""
        start = time.perf_counter()
        os.write(self.terminal, (sentence + "\n").encode("utf-8"))
        if not select.select([self.child.stdout], [], [], PATIENCE_SECONDS)[0]:
            self.fail(f"did not answer a line within {PATIENCE_SECONDS} s")
        if not self.child.stdout.readline():
            self.fail(f"ended with exit code {self.child.wait()}")
        return time.perf_counter() - start

    def turn(self, sentences):
        """The seconds of each sentence; of the first one, which finds everything cold, they are not counted."""
        self.child.send_signal(signal.SIGCONT)
        seconds = [self.seconds_of(sentence) for sentence in [sentences[0], *sentences]]
        self.child.send_signal(signal.SIGSTOP)
        return seconds[1:]

    def close(self):
        super().close()
        os.close(self.terminal)


def whole_processes(sides, latencies, search, sentences):
    for sentence in sentences:
        for side, latency in zip(sides, latencies, strict=True):
            whole, without_start = side.one_sentence(search, sentence)
            latency.whole.append(whole)
            if without_start is not None:
                latency.without_start.append(without_start)


def warm_processes(sides, latencies, search, sentences):
    with contextlib.ExitStack() as stack:
        programs = []
        for side in sides:
            command, environment = side.line_by_line(search)
            programs.append(LineProgram(side.name, command, side.log, environment))
            stack.callback(programs[-1].close)
            programs[-1].turn(sentences[:1])  # started, loaded, warm
        for begin in range(0, len(sentences), SENTENCES_IN_TURN):
            for program, latency in zip(programs, latencies, strict=True):
                latency.warm += program.turn(sentences[begin : begin + SENTENCES_IN_TURN])


def measure(sides, search, sentences):
    """`sides`: [(side, is it ours)]. The sides take turns."""
    latencies = [Latency(side.name, side.precision, ours) for side, ours in sides]
    contenders = [side for side, _ in sides]
    whole_processes(contenders, latencies, search, sentences)
    warm_processes(contenders, latencies, search, sentences)
    return latencies
