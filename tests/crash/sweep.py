"""Tries one writing: stopped at each call, with each call failing, and after a loss of power at each call."""

import collections
import errno
import hashlib
import os
import random
import re
import shutil
import threading

from power_loss import Disk, write_state
from recorded_calls import plain_environment, read_calls
from traced_calls import is_available, recorded_counts, traced_counts
from writings import Broken, Output, contents, require, unfinished_in

ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
REASONS = "|".join(os.strerror(error) for error in ERRORS)
SIGKILLED = -9
KILLS, FAILURES, LASTING, INTERRUPTIONS, SHORT = (
    "kills", "failures", "lasting failures", "interruptions", "short writes"
)  # fmt: skip
POWER = "states after losses of power"
# How many are tried of each writing, if not all are.
SAMPLE = {KILLS: 4, FAILURES: 5, LASTING: 3, INTERRUPTIONS: 1, SHORT: 1, POWER: 5}


def without_numbers(path):
    """The same for the names of temporary files of different processes."""
    return re.sub(r"(tmp-.*?)-\d+(-\d+)?\b", r"\1", path)


def signature(folder):
    """The same for states that programs treat alike: they differ in process numbers, in times in text files, in temporary
    files, which are never read, or in log.txt, of which only the end of the last line matters."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = without_numbers(str(path.relative_to(folder)))
        digest.update(name.encode() + b"\0")
        if path.is_file() and ".tmp-" not in name:
            content = path.read_bytes()
            if path.name == "log.txt":
                content = content[-1:]
            if path.name.endswith((".json", ".jsonl", ".txt", ".lock", ".pairs")):
                content = re.sub(rb"[0-9]+", b"#", content)
            digest.update(hashlib.sha256(content).digest())
    return digest.digest()


class Sweep:
    """All trials of one writing. `subsets`: random states after each call, besides the extreme ones; `complete`: tries
    all, in place of a sample."""

    def __init__(self, writing, folder, subsets, complete):
        self.writing = writing
        self.folder = folder
        self.subsets = subsets
        self.complete = complete
        self.random = random.Random(writing.name)
        self.counts = collections.Counter()
        self.failures = []
        self.known = set()
        self.lock = threading.Lock()
        self.trials = 0

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def new_folder(self):
        with self.lock:
            self.trials += 1
            return self.folder / f"trial-{self.trials}"

    def fail(self, message):
        with self.lock:
            self.failures.append(f"{self.writing.name}: {message}")

    def record(self):
        """Runs the command undisturbed, and compares the calls with those that strace sees."""
        folder = self.folder / "recorded"
        self.writing.place(folder)
        log = self.folder / "calls.log"
        done = self.writing.run(folder, log=log)
        require(done.returncode == 0, done.stderr)
        self.calls = read_calls(log, folder)
        if isinstance(self.writing, Output):
            self.writing.new = contents(folder / self.writing.output)
        self.writing.check_end(folder)
        self.counts["calls"] = len(self.calls)
        if is_available():
            self.compare_with_strace()

    def compare_with_strace(self):
        folder = self.folder / "traced"
        self.writing.place(folder)
        environment = plain_environment(cache=self.writing.cache_of(folder))
        traced = traced_counts(folder, self.folder / "strace.log", environment, *self.writing.command)
        recorded = recorded_counts(self.calls)
        if traced != recorded:
            self.fail(f"strace sees other calls: {dict(traced)} in place of {dict(recorded)}")

    def calls_apart(self):
        """The calls without those between the first and the last of some writes to one file, one after the other: the
        tensors of a checkpoint. A kill at one of these leaves what the last of the states after a loss of power holds,
        in which everything is on the disk."""
        neighbours = zip([None, *self.calls[:-1]], self.calls, [*self.calls[1:], None])
        return [
            call
            for before, call, after in neighbours
            if not all(other and (other.name, other.path) == ("write", call.path) for other in (before, call, after))
        ]

    def treatments(self):
        """(group, plan, call)."""
        apart = self.calls_apart()
        groups = {
            KILLS: [(f"kill {call.number}", call) for call in apart]
            + [(f"kill-half {call.number}", call) for call in apart if call.length > 1],
            FAILURES: [(f"fail {call.number} {error}", call) for call in apart for error in ERRORS],
            LASTING: [
                (f"{rule} {call.number} {error}", call)
                for call in apart
                for rule, error in (("full-from", errno.ENOSPC), ("fail-from", errno.EIO))
            ],
            INTERRUPTIONS: [(f"fail {call.number} {errno.EINTR}", call) for call in apart if call.can_be_interrupted],
            SHORT: [(f"half {call.number}", call) for call in apart if call.length > 1],
        }
        for group, trials in groups.items():
            for plan, call in trials if self.complete else self.sample(trials, SAMPLE[group]):
                yield group, plan, call
        first = self.calls[0]
        yield SHORT, "half-all", first
        yield INTERRUPTIONS, "interrupt-all", first
        if any(call.name == "exchange" for call in self.calls):  # a file system that cannot exchange folders
            yield INTERRUPTIONS, f"refuse exchange {errno.EINVAL}", first

    def sample(self, trials, count):
        """Some of the trials, of different kinds of calls."""
        by_kind = {}
        for trial in self.random.sample(trials, len(trials)):
            call = trial[1]
            by_kind.setdefault((call.name, os.path.basename(without_numbers(call.path))), trial)
        return list(by_kind.values())[:count]

    def trial(self, group, plan, call):
        folder = self.new_folder()
        try:
            self.writing.place(folder)
            done = self.writing.run(folder, plan=plan)
            self.count(group)
            if group == KILLS:
                require(done.returncode == SIGKILLED, f"exit code {done.returncode} in place of a kill")
            elif done.returncode == 0:
                self.judge_success(group, call, done, folder)
            else:
                self.judge_failure(group, call, done, folder)
            self.verify(folder, None)
        except Broken as error:
            self.fail(f"{plan} ({call}): {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge_success(self, group, call, done, folder):
        if group == FAILURES and not self.writing.may_ignore(call):
            require(self.writing.may_tolerate(call), "exit code 0 in spite of the failure")
            warnings = [line for line in done.stderr.splitlines() if "warning: " in line and re.search(REASONS, line)]
            require(warnings, f"no warning: {done.stderr}")
        self.writing.check_end(folder)

    def judge_failure(self, group, call, done, folder):
        errors = [line for line in done.stderr.splitlines() if "error: " in line]
        require(group in (FAILURES, LASTING), f"exit code {done.returncode}: {errors}")
        require(done.returncode == 1, f"exit code {done.returncode}: {done.stderr}")
        require(len(errors) == 1, f"not one line with an error: {done.stderr}")
        require(re.search(REASONS, errors[0]), f"no reason: {errors[0]}")
        if group == FAILURES:
            names = {os.path.basename(without_numbers(path)) for path in (call.path, call.other_path) if path}
            names = {re.split(r"\.tmp-|\.partial", name.removeprefix(".tmp-"))[0] for name in names}
            names = names or {folder.name, " .:"}  # the watched folder itself
            require(any(name in errors[0] for name in names), f"not one of {names}: {errors[0]}")
            left = [path for path in unfinished_in(folder) if not self.writing.may_leave(path)]
            require(not left or call.name in ("unlink", "rmdir"), f"left behind: {left}")

    def verify(self, folder, promised):
        """Checks a state, and what comes after it unless an equal state was checked before."""
        self.writing.check(folder, promised)
        state = signature(folder)
        with self.lock:
            is_known = state in self.known
            self.known.add(state)
        if not is_known:
            self.count("different states")
            self.writing.check_rest(folder)

    def power_loss_states(self):
        """(after which call, description, files, what was promised) of states that differ."""
        disk = Disk(self.writing.before)
        found = {}
        for index, call in enumerate(self.calls):
            disk.apply(call)
            promised = self.writing.promised(self.calls[: index + 1])
            if isinstance(self.writing, Output):
                promised = index + 1 == len(self.calls)
            for description, files in disk.states(self.random, self.subsets):
                self.counts["losses of power"] += 1
                key = (promised, tuple(sorted((path, content and hash(content)) for path, content in files.items())))
                found.setdefault(key, (call, description, files, promised))
        states = list(found.values())
        return states if self.complete else self.random.sample(states, min(SAMPLE[POWER], len(states)))

    def lose_power(self, call, description, files, promised):
        folder = self.new_folder()
        folder.mkdir()
        try:
            write_state(files, folder)
            self.count(POWER)
            self.verify(folder, promised)
        except Broken as error:
            self.fail(f"loss of power after {call} ({description}): {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run(self, pool):
        self.record()
        futures = [pool.submit(self.trial, *treatment) for treatment in self.treatments()]
        futures += [pool.submit(self.lose_power, *state) for state in self.power_loss_states()]
        for future in futures:
            future.result()
