#!/usr/bin/env python3
"""Tries the programs on a GPU: trains, resumes, evaluates and translates there and on the CPU, and compares.

scripts/test-gpu runs it. --device cpu compares the CPU with itself, which shows that the checks work. Exit code 0: all
checks passed; 1: one failed."""

import argparse
import array
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN_DIR = pathlib.Path(os.environ.get("TRANSLATE_BIN_DIR", ROOT / "build" / "release" / "bin"))
TESTS_DIR = BIN_DIR.parent / "tests"
CONFIG = ROOT / "configs" / "en-fr.json"
PRECISE = {"model.dropout": 0, "training.max_steps": 40, "training.log_every": 5}
QUIET = {"training.warmup_steps": 10, "training.validate_every": 1000, "training.checkpoint_every": 1000}


class CheckFailed(Exception):
    """Something is not as on the CPU."""


def expect(condition, message):
    if not condition:
        raise CheckFailed(message)


def overrides(settings):
    """The options that set these keys of the configuration."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"{what} did not come within {seconds} s")
        time.sleep(0.1)


def difference(values, others):
    """The length of the difference of two vectors, relative to that of the second one."""
    length = math.sqrt(sum(other * other for other in others))
    return math.sqrt(sum((one - other) ** 2 for one, other in zip(values, others, strict=True))) / (length + 1e-30)


def weights(run):
    """The weights of the newest checkpoint of a run, by name."""
    file = sorted(run.glob("checkpoints/step-*/model.safetensors"))[-1].read_bytes()
    start = 8 + int.from_bytes(file[:8], "little")
    header = json.loads(file[8:start])
    return {name: array.array("f", file[start + begin:start + end]) for name, (begin, end) in
            ((name, entry["data_offsets"]) for name, entry in header.items() if name != "__metadata__")}


class Checks:
    """The checks, each a method that returns what it found in a few words."""

    def __init__(self, device, folder):
        self.device = device
        self.kind = device.split(":", maxsplit=1)[0]
        self.folder = folder

    def count_devices(self):
        """The number of processes that can have a device each."""
        if self.device == "cpu":
            return 2
        listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=True).stdout
        return len(listed.splitlines())

    def run(self, program, *arguments, text=None):
        command = [BIN_DIR / program, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, input=text, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def train(self, run, device, *options, **settings):
        """The training reports of a run; settings have __ in place of the dot."""
        chosen = QUIET | {key.replace("__", "."): value for key, value in settings.items()}
        self.run("translate-train", "--config", CONFIG, "--run-dir", run, "--device", device, *options,
                 *overrides(chosen))
        lines = (self.folder / run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        return [report for report in map(json.loads, lines) if report["kind"] == "train"]

    def compare_losses(self, precision, tolerance):
        settings = {key.replace(".", "__"): value for key, value in PRECISE.items()}
        there = self.train(f"{precision}-there", self.device, training__precision=precision, **settings)
        here = self.train(f"{precision}-here", "cpu", training__precision="fp32", **settings)
        pairs = [(one["loss"], other["loss"]) for one, other in zip(there, here, strict=True)]
        largest = max(abs(one - other) / other for one, other in pairs)
        expect(largest <= tolerance, f"losses differ by {largest:.2e} of their value: {pairs}")
        return f"{len(pairs)} reports, losses differ by {largest:.1e} at most ({tolerance:.0e} allowed)"

    def unit_tests(self):
        """Batches in pinned memory, five updates, an update that is refused."""
        command = [TESTS_DIR / "training_tests", "--gtest_filter=Gpu.*"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, done.stdout[-3000:])
        skipped = "SKIPPED" in done.stdout
        expect(not skipped or self.device == "cpu", f"skipped although there is a GPU:\n{done.stdout}")
        return "skipped: they need a GPU" if skipped else re.findall(r"PASSED.*", done.stdout)[-1].strip()

    def training_fp32(self):
        """Losses of training in fp32 against those of the CPU."""
        return self.compare_losses("fp32", 2e-3)

    def training_bf16(self):
        """Losses of training in bf16 against those of the CPU in fp32."""
        return self.compare_losses("bf16", 3e-2)

    def resuming(self):
        """A training with dropout that stops and resumes against one that does not stop."""
        # The default schedule depends on max_steps.
        settings = {"training__log_every": 10, "training__precision": "fp32", "training__optimizer__type": "muon",
                    "training__word_dropout__source": 0.1, "training__schedule": "constant"}
        whole = self.train("whole", self.device, training__max_steps=40, **settings)
        self.train("stopped", self.device, training__max_steps=20, **settings)
        stopped = self.train("stopped", self.device, training__max_steps=40, **settings)
        one, other = whole[-1]["loss"], stopped[-1]["loss"]
        expect(abs(one - other) <= 2e-3 * one, f"losses {one} and {other}")
        return "the same loss to the last digit" if one == other else f"losses {one:.6f} and {other:.6f}"

    def model(self):
        """A model for the checks of translating, trained with all that a step can contain."""
        self.train("model", self.device, training__max_steps=400, training__log_every=100, training__r_drop=1,
                   training__ema_decay=0.98, training__accumulation_steps=2, training__checkpoint_every=200,
                   training__validate_every=200)
        return "400 steps"

    def evaluating(self):
        """BLEU of the same checkpoint here and there."""
        scores = {}
        for device in (self.device, "cpu"):
            for beam in (1, 4):
                report = json.loads(self.run("translate-eval", "--run-dir", "model", "--device", device, "--precision",
                                             "fp32", "--beam-size", beam, "--metrics", "bleu", "--json"))
                scores[device, beam] = report["bleu"]["score"]
        largest = max(abs(scores[self.device, beam] - scores["cpu", beam]) for beam in (1, 4))
        expect(largest <= 0.5, f"BLEU {scores}")
        return f"BLEU greedy {scores[self.device, 1]:.2f}, beam 4 {scores[self.device, 4]:.2f}; on the CPU the same " \
               f"within {largest:.2f}"

    def translating(self):
        """Translations and their explanations, of a checkpoint and of an average."""
        text = (ROOT / "data" / "en-fr" / "test.en").read_text(encoding="utf-8")
        results = []
        for checkpoint in ("latest", "average:2"):
            there, here = (self.run("translate-infer", "--run-dir", "model", "--checkpoint", checkpoint, "--device",
                                    device, "--precision", "fp32", text=text).splitlines()
                           for device in (self.device, "cpu"))
            same = sum(one == other for one, other in zip(there, here, strict=True))
            expect(same >= 0.97 * len(here), f"only {same} of {len(here)} translations are the same ({checkpoint})")
            results.append(f"{same} of {len(here)}")
        explained = self.run("translate-explain", "--run-dir", "model", "--device", self.device, "--explain",
                             "--attention", "page.html", "the cat sleeps")
        expect("encoder" in explained.lower(), explained)
        return f"the same: {', '.join(results)}; explained"

    def batch_size(self):
        """training.batch_tokens: auto."""
        found = self.run("translate-train", "--config", CONFIG, "--run-dir", "none", "--device", self.device, "--check",
                         "--set", "training.batch_tokens=auto")
        chosen = next((line for line in found.splitlines() if line.startswith("batches")), None)
        expect(chosen, found)
        return chosen

    def processes(self):
        """Two processes, each on a GPU of its own, against one: the same steps, within rounding."""
        if (count := self.count_devices()) < 2:
            return f"skipped: it needs two GPUs, here is {count}"
        settings = {"training__max_steps": 20, "training__accumulation_steps": 2, "training__precision": "fp32",
                    "training__log_every": 5, "model__dropout": 0}
        one = self.train("alone", self.device, **settings)
        two = self.train("together", self.kind, "--processes", 2, **settings)
        losses = max(abs(report["loss"] - other["loss"]) / other["loss"]
                     for report, other in zip(two, one, strict=True))
        expect(losses <= 2e-3, f"losses differ by {losses:.2e} of their value")
        alone, together = weights(self.folder / "alone"), weights(self.folder / "together")
        expect(alone.keys() == together.keys(), "other weights")
        largest = max(difference(together[name], values) for name, values in alone.items())
        expect(largest <= 2e-2, f"weights differ by {largest:.2e} of their length")
        return f"losses differ by {losses:.1e}, weights by {largest:.1e} of their length at most"

    def lost_process(self):
        """Of two processes on GPUs, one is killed: the other one ends by itself and names it."""
        if (count := self.count_devices()) < 2:
            return f"skipped: it needs two GPUs, here is {count}"
        command = [BIN_DIR / "translate-train", "--config", CONFIG, "--run-dir", "killed", "--device",
                   self.kind, "--processes", "2", "--silence-timeout", "10",
                   *overrides(QUIET | {"training.max_steps": 1000000, "training.log_every": 5})]
        with subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True) as launcher:
            try:
                metrics = self.folder / "killed" / "metrics.jsonl"
                wait_for(lambda: metrics.exists() and metrics.stat().st_size > 0, 300, "the first report")
                children = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text(encoding="utf-8")
                os.kill(int(children.split()[1]), signal.SIGKILL)
                start = time.monotonic()
                _, messages = launcher.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                raise CheckFailed("the other process has not ended within 120 s") from None
            finally:
                launcher.kill()
        expect(launcher.returncode == 1, f"exit code {launcher.returncode}\n{messages[-3000:]}")
        expect("the process of rank 1" in messages, messages[-3000:])
        return f"ended {time.monotonic() - start:.0f} s later"

    def waiting(self):
        """Waits for the GPU per step, counted by NVIDIA's profiler where it is installed."""
        if self.device == "cpu" or shutil.which("nsys") is None:
            return "not measured: nsys (NVIDIA Nsight Systems) is not installed"
        calls = {steps: self.count_waits(steps) for steps in (40, 120)}
        grown = calls[120] - calls[40]
        expect(grown < 8, f"80 more steps made {grown} more calls that wait: {calls}")
        return f"80 more steps, {grown} more waits"

    def count_waits(self, steps):
        sets = overrides(QUIET | {"training.log_every": 1000, "training.max_steps": steps})
        command = ["nsys", "profile", "--trace", "cuda", "--force-overwrite", "true", "--output", f"steps-{steps}",
                   BIN_DIR / "translate-train", "--config", CONFIG, "--run-dir", f"waits-{steps}", "--device",
                   self.device, *sets]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        table = subprocess.run(["nsys", "stats", "--report", "cuda_api_sum", "--format", "csv", f"steps-{steps}.nsys-rep"],
                               cwd=self.folder, check=True, capture_output=True, text=True).stdout
        rows = [line.split(",") for line in table.splitlines()]
        head = next(row for row in rows if "Name" in row)
        return sum(int(row[head.index("Num Calls")]) for row in rows
                   if len(row) == len(head) and re.search(r"Synchronize", row[head.index("Name")]))


CHECKS = ("unit_tests", "training_fp32", "training_bf16", "resuming", "model", "evaluating", "translating", "batch_size",
          "processes", "lost_process", "waiting")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda:0")
    device = parser.parse_args().device
    failed = []
    with tempfile.TemporaryDirectory(prefix="translate-gpu-") as folder:
        checks = Checks(device, pathlib.Path(folder))
        for name in CHECKS:
            start = time.monotonic()
            try:
                found = getattr(checks, name)()
            except Exception as error:  # the other checks are worth their time
                failed.append(name)
                found = f"FAILED: {error}" if isinstance(error, CheckFailed) else f"FAILED: {error!r}"
            print(f"{name:14} {time.monotonic() - start:5.0f} s  {found}", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else f"{len(CHECKS)} checks passed on {device}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
