"""The programs that take part: each lives through all rounds and runs when it is told to."""

import ctypes
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

POLL_SECONDS = 0.02
TAIL_LINES = 15
PR_SET_PDEATHSIG = 1  # of prctl(2)
LIBC = ctypes.CDLL(None)


class Failed(RuntimeError):
    """A program ended or said something else than expected."""


def peak_memory(pid):
    """Bytes the process has held at most."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def end_with_parent():
    """Called in a child: it is killed when this process ends, however it ends. A stopped one would stay for ever."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A child process whose stderr goes to a file; stdin and stdout as they are given, as subprocess.Popen has them."""

    def __init__(self, name, command, log, environment=None, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL):
        self.name = name
        self.log = pathlib.Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("w", encoding="utf-8") as file:
            self.child = subprocess.Popen(
                [str(part) for part in command],
                stdin=stdin,
                stdout=stdout,
                stderr=file,
                env=os.environ | (environment or {}),
                text=True,
                preexec_fn=end_with_parent,
            )

    def fail(self, what):
        tail = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL_LINES:]
        self.close()
        raise Failed("\n".join([f"{self.name} {what}; its last words, from {self.log}:", *tail]))

    def wait(self):
        """Waits for its end, which must be a good one: the most bytes that it held."""
        _, status, usage = os.wait4(self.child.pid, 0)
        self.child.returncode = os.waitstatus_to_exitcode(status)
        if self.child.returncode != 0:
            self.fail(f"ended with exit code {self.child.returncode}")
        return usage.ru_maxrss * 1024

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe:
                pipe.close()


@dataclasses.dataclass
class Ended:
    """A program that ran from its start to its end."""

    seconds: float
    peak_memory: int  # bytes; at least what this process held when it made the child
    told: str  # its stderr


def run_to_end(name, command, log, environment=None):
    """Runs a program, whose output goes nowhere; one that fails raises Failed."""
    start = time.perf_counter()
    program = Program(name, command, log, environment)
    memory = program.wait()
    seconds = time.perf_counter() - start
    return Ended(seconds, memory, program.log.read_text(encoding="utf-8", errors="replace"))


class Worker(Program):
    """A Python program that answers a line of JSON with a line of JSON. Between questions it is stopped (SIGSTOP): a
    runtime whose idle threads spin would take the processors from the others."""

    def __init__(self, name, command, log, environment=None):
        super().__init__(name, command, log, environment, subprocess.PIPE, subprocess.PIPE)

    def answer(self):
        line = self.child.stdout.readline()
        if not line:
            self.fail(f"ended with exit code {self.child.wait()}")
        self.child.send_signal(signal.SIGSTOP)
        return json.loads(line)

    def ask(self, **command):
        self.child.send_signal(signal.SIGCONT)
        try:
            self.child.stdin.write(json.dumps(command) + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            self.fail("ended")
        return self.answer()


class OurTraining(Program):
    """translate-train as its users run it. Between rounds it is stopped (SIGSTOP), and its log tells what it did.

    Every report in metrics.jsonl says how many steps and target tokens are done and how many seconds the training has
    taken, waiting for batches included; a report during which the process was stopped is not used.
    """

    def __init__(self, name, command, run_dir, log):
        self.metrics = pathlib.Path(run_dir) / "metrics.jsonl"
        shutil.rmtree(run_dir, ignore_errors=True)
        super().__init__(name, [*command, "--run-dir", run_dir], log)

    def reports(self):
        if not self.metrics.is_file():
            return []
        whole = self.metrics.read_text(encoding="utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def wait_for(self, reports):
        while len(self.reports()) < reports:
            if self.child.poll() is not None:
                self.fail(f"ended with exit code {self.child.returncode}")
            time.sleep(POLL_SECONDS)

    def run(self, seconds, least=2):
        """Goes on for about `seconds`, at least for `least` reports after the first one, and stops again.

        Gives the reports after which the measured part begins and ends.
        """
        before = len(self.reports())
        start = time.monotonic()
        self.child.send_signal(signal.SIGCONT)
        self.wait_for(before + 1 + least)
        while time.monotonic() - start < seconds:
            time.sleep(POLL_SECONDS)
        self.child.send_signal(signal.SIGSTOP)
        reports = self.reports()
        return reports[before], reports[-1]

    def peak_memory(self):
        return peak_memory(self.child.pid)
