#!/usr/bin/env python3
"""Whatever the programs write is whole or absent after a crash, a failing call or a loss of power, and a run resumes
from it exactly. Each writing (tests/crash/writings.py) is recorded once, call by call; then the program is stopped at
each call, each call fails with each error, and the disk is left as a loss of power may leave it after each call.

TRANSLATE_BIN_DIR: the programs' folder. TRANSLATE_FILE_CALLS: the library of tests/crash/file_calls.cpp. With
TRANSLATE_NIGHTLY=1 all of that is tried, else a sample. Arguments are names of writings to try alone."""

import collections
import concurrent.futures
import errno
import hashlib
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "crash"))

from power_loss import Disk, write_state  # noqa: E402
from recorded_calls import ROOT, plain_program, read_calls  # noqa: E402
from writings import (  # noqa: E402
    RUN,
    SENTENCE,
    STEPS,
    AnotherRun,
    Broken,
    Output,
    Remembered,
    TrainingRun,
    checkpoints_of,
    infer_arguments,
    require,
    train_arguments,
    unfinished_in,
    write_config,
    write_corpus,
)

NIGHTLY = os.environ.get("TRANSLATE_NIGHTLY", "") not in ("", "0")
SAMPLE = 8  # treatments of each writing in each group, if not all are tried
SUBSETS = 3 if NIGHTLY else 1  # random states after each call
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
SIGKILLED = -9


def prepared(folder, caches):
    """The folders before the commands, and the writings."""
    corpus = folder / "corpus"
    corpus.mkdir()
    write_corpus(corpus)

    def place(name, source=None):
        made = folder / "before" / name
        if source is None:
            made.mkdir(parents=True)
            write_config(made, corpus)
        else:
            shutil.copytree(source, made)
        return made

    def run(where, *command):
        done = plain_program(where, *command, cache=caches)
        require(done.returncode == 0, f"{command}: {done.stderr}")

    new = place("new run")
    trained = place("trained")
    run(trained, *train_arguments("--set", "training.keep_last=5"))
    (trained / RUN / "earlier").write_text("a mark")
    damaged = place("damaged", trained)
    newest = checkpoints_of(damaged / RUN)[STEPS] / "model.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1] + b"?")
    complete = place("complete", trained)
    shutil.rmtree(checkpoints_of(complete / RUN)[1])
    writings = [
        TrainingRun("training", new, train_arguments(), caches, trained / RUN),
        TrainingRun("resuming", damaged, train_arguments(), caches, trained / RUN),
        AnotherRun("another run", complete, train_arguments("--resume", "never"), caches, trained / RUN),
    ]
    for form in ("ctranslate2", "huggingface", "argos"):
        output = "en-fr.argosmodel" if form == "argos" else "out"
        command = ["translate-export", "--format", form, "--force"]
        writings.append(Output(form, complete, [*command, f"{RUN}/latest", output], caches, output))
        replaced = place(f"replaced {form}", trained)
        run(replaced, *command, f"{RUN}/step-1", output)
        writings.append(Output(f"replacing {form}", replaced, [*command, f"{RUN}/latest", output], caches, output))
    model = ROOT / "tests" / "golden" / "marian" / "all"
    imported = place("imported")
    run(imported, "translate-import", "--source-language", "de", model, "out")
    writings.append(Output("import", imported, ["translate-import", "--force", model, "out"], caches, "out"))
    (complete / "translation.txt").write_text("an older one\n")
    translate = infer_arguments("--run-dir", RUN, "--output", "translation.txt", SENTENCE)
    writings.append(Output("translation", complete, translate, caches, "translation.txt"))
    attention = infer_arguments("--run-dir", RUN, "--attention", "page.html", SENTENCE)
    writings.append(Output("page", complete, attention, caches, "page.html"))
    remembering = ["translate-infer", "--run-dir", RUN, "--precision", "auto", SENTENCE]
    writings.append(Remembered("remembered precision", complete, remembering))
    return writings


def signature(folder):
    """The same for states that programs treat alike: they differ in process numbers, and in times in text files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = re.sub(r"(tmp-.*)-\d+(-\d+)?$", r"\1", str(path.relative_to(folder)))
        digest.update(name.encode() + b"\0")
        if path.is_file():
            content = path.read_bytes()
            if path.suffix in (".json", ".jsonl", ".txt", ".lock", ".pairs"):
                content = re.sub(rb"[0-9]+", b"#", content)
            digest.update(hashlib.sha256(content).digest())
    return digest.digest()


class Sweep:
    """All trials of one writing."""

    def __init__(self, writing, folder):
        self.writing = writing
        self.folder = folder
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

    def record(self):
        """Runs the command undisturbed."""
        folder = self.folder / "recorded"
        self.writing.place(folder)
        log = self.folder / "calls.log"
        done = self.writing.run(folder, log=log)
        require(done.returncode == 0, done.stderr)
        self.calls = read_calls(log, folder)
        require(self.calls, "no call was recorded")
        if isinstance(self.writing, Output):
            self.writing.new = self.writing_output(folder)
        self.writing.check_end(folder)
        self.counts["calls"] = len(self.calls)

    def writing_output(self, folder):
        from writings import contents

        return contents(folder / self.writing.output)

    def calls_apart(self):
        """The calls without those between the first and the last of some writes to one file, one after the other: the
        tensors of a checkpoint."""
        neighbours = zip([None, *self.calls[:-1]], self.calls, [*self.calls[1:], None])
        return [
            call
            for before, call, after in neighbours
            if not all(other and (other.name, other.path) == ("write", call.path) for other in (before, call, after))
        ]

    def treatments(self):
        """(plan, call) by groups."""
        apart = self.calls_apart()
        groups = {
            "kills": [(f"kill {call.number}", call) for call in self.calls]
            + [(f"kill-half {call.number}", call) for call in self.calls if call.length > 1],
            "failures": [(f"fail {call.number} {errno.ENOSPC}", call) for call in self.calls]
            + [(f"fail {call.number} {error}", call) for call in apart for error in (errno.EIO, errno.EDQUOT)],
            "lasting failures": [
                (f"{rule} {call.number} {error}", call)
                for call in apart
                for rule, error in (("full-from", errno.ENOSPC), ("fail-from", errno.EIO))
            ],
            "interruptions": [(f"fail {call.number} {errno.EINTR}", call) for call in apart if call.can_be_interrupted],
            "short writes": [(f"half {call.number}", call) for call in apart if call.length > 1],
        }
        if NIGHTLY:
            return groups
        return {group: self.sample(trials) for group, trials in groups.items()}

    def sample(self, trials):
        """Some of the trials, of as many kinds of calls as possible."""
        by_kind = {}
        shuffled = list(trials)
        random.Random(self.writing.name).shuffle(shuffled)
        for trial in shuffled:
            call = trial[1]
            by_kind.setdefault((call.name, re.sub(r"\d+", "#", os.path.basename(call.path))), trial)
        return list(by_kind.values())[:SAMPLE]

    def trial(self, group, plan, call):
        folder = self.new_folder()
        try:
            self.writing.place(folder)
            done = self.writing.run(folder, plan=plan)
            self.count(group)
            self.judge_end(group, call, done, folder)
            self.verify(folder, None)
        except Broken as error:
            with self.lock:
                self.failures.append(f"{self.writing.name}: {plan} ({call}): {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge_end(self, group, call, done, folder):
        code = done.returncode
        errors = [line for line in done.stderr.splitlines() if "error: " in line]
        if group == "kills":
            require(code == SIGKILLED, f"exit code {code} in place of a kill")
            return
        if group in ("interruptions", "short writes"):
            require(code == 0, f"exit code {code}: {errors}")
        if code == 0:
            harmless = group in ("interruptions", "short writes", "lasting failures")
            require(harmless or self.writing.may_tolerate(call), "exit code 0 in spite of the failure")
            self.writing.check_end(folder)
            return
        require(code == 1, f"exit code {code}: {done.stderr}")
        require(len(errors) == 1, f"not one line with an error: {done.stderr}")
        reasons = "|".join(os.strerror(error) for error in ERRORS)
        require(re.search(reasons, errors[0]), f"no reason: {errors[0]}")
        require(re.search(r"[\w.-]+/|\.\w+", errors[0]), f"no path: {errors[0]}")
        if group == "failures" and call.name not in ("unlink", "rmdir", "close"):
            require(not unfinished_in(folder), f"left behind: {unfinished_in(folder)}")

    def verify(self, folder, promised):
        """Checks a state, unless an equal one was checked before."""
        self.writing.check(folder, promised)
        state = signature(folder)
        with self.lock:
            is_known = state in self.known
            self.known.add(state)
        if not is_known:
            self.count("states")
            self.writing.check_rest(folder)

    def power_loss_states(self):
        """(after which call, description, files, what was promised) of states that differ."""
        disk = Disk(self.writing.before)
        chance = random.Random(self.writing.name)
        found = {}
        for index, call in enumerate(self.calls):
            disk.apply(call)
            promised = self.writing.promised(self.calls[: index + 1])
            if index + 1 == len(self.calls) and promised is False:
                promised = True
            for description, files in disk.states(chance, SUBSETS):
                self.counts["power losses"] += 1
                key = (promised, tuple(sorted((path, content and hash(content)) for path, content in files.items())))
                found.setdefault(key, (call, description, files, promised))
        states = list(found.values())
        if not NIGHTLY:
            states = chance.sample(states, min(SAMPLE, len(states)))
        return states

    def lose_power(self, call, description, files, promised):
        folder = self.new_folder()
        folder.mkdir()
        try:
            write_state(files, folder)
            self.count("distinct states after them")
            self.verify(folder, promised)
        except Broken as error:
            with self.lock:
                self.failures.append(f"{self.writing.name}: loss of power after {call} ({description}): {error}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def run_all(self, pool):
        self.record()
        futures = [
            pool.submit(self.trial, group, plan, call)
            for group, trials in self.treatments().items()
            for plan, call in trials
        ]
        for plan in ("half-all", "interrupt-all"):
            futures.append(pool.submit(self.trial, "short writes", plan, self.calls[0]))
        if any(call.name == "exchange" for call in self.calls):  # a file system that cannot exchange folders
            futures.append(pool.submit(self.trial, "interruptions", f"refuse exchange {errno.EINVAL}", self.calls[0]))
        futures += [pool.submit(self.lose_power, *state) for state in self.power_loss_states()]
        for future in futures:
            future.result()


def main(names):
    # In memory if possible: flushing takes no time there, and the model of a loss of power needs no disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="translate-crash-", dir=memory)))
    total = collections.Counter()
    failures = []
    try:
        caches = folder / "caches"
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for writing in prepared(folder, caches):
                if names and writing.name not in names:
                    continue
                place = folder / writing.name.replace(" ", "-")
                place.mkdir()
                sweep = Sweep(writing, place)
                sweep.run_all(pool)
                shutil.rmtree(place, ignore_errors=True)
                print(f"{writing.name}: " + ", ".join(f"{count} {what}" for what, count in sweep.counts.items()))
                for failure in sweep.failures:
                    print("  FAILED " + failure)
                sys.stdout.flush()
                total += sweep.counts
                failures += sweep.failures
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("total: " + ", ".join(f"{count} {what}" for what, count in total.items()))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
