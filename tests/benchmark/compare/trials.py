"""Which of the PyTorch variants is the fastest here: each gets a short turn of its own before the rounds."""

import dataclasses
import json
import subprocess
import sys

from compare import allocators
from compare.processes import Failed, Worker, end_with_parent
from peer.variants import Variant

# Relative errors of the first batch's loss and of the norms of its gradients, against our side in fp32: what is larger
# is not the same work.
LARGEST_ERRORS = {"fp32": (1e-5, 1e-3), "bf16": (1e-3, 3e-2)}
WARM_UP_STEPS = 3


@dataclasses.dataclass
class Trial:
    """What came of a variant's turn."""

    variant: Variant
    tokens_per_second: float = 0.0
    peak_memory: int = 0
    errors: dict | None = None
    refused: str = ""  # why it does not take part


class Peers:
    """Starts PyTorch loops on an exported folder."""

    def __init__(self, arguments, folder, found):
        self.arguments = arguments
        self.folder = folder
        self.found = found
        self.errors = {}  # by what they depend on

    def command(self, variant, *more):
        script = self.arguments.sources / "pytorch_train.py"
        common = ("--threads", str(self.arguments.threads), "--device", self.arguments.device)
        return [sys.executable, str(script), "--batches", str(self.folder), "--variant", variant.json(), *common, *more]

    def environment(self, variant):
        return dict(variant.environment) | allocators.environment(variant.allocator, self.found)

    def check(self, variant):
        """The variant's errors against our side. Dropout, clipping and allocators have no part in them."""
        parts = (variant.precision, variant.loss, variant.loss_rows, variant.layout, variant.stream, variant.compile)
        key = (*parts, variant.matmul)
        if key not in self.errors:
            self.errors[key] = self.run_check(variant)
        return self.errors[key]

    def run_check(self, variant):
        log = self.folder / f"{variant.precision}-{variant.name}.check.log"
        with log.open("w", encoding="utf-8") as file:
            command = self.command(variant, "--check")
            pipe = subprocess.PIPE
            done = subprocess.run(command, stdout=pipe, stderr=file, text=True, preexec_fn=end_with_parent)
        if done.returncode != 0:
            raise Failed(f"{variant.name}: its check failed, see {log}")
        return json.loads(done.stdout)

    def start(self, variant):
        """A worker that is ready to train, and how many parameters its model has."""
        log = self.folder / f"{variant.precision}-{variant.name}.log"
        worker = Worker(variant.name, self.command(variant, "--serve"), log, self.environment(variant))
        return worker, worker.answer()["parameters"]


def wrong_work(errors, variant):
    """Why a variant's numbers do not pass for the same work, or ''."""
    precision = "bf16" if variant.matmul == "medium" else variant.precision
    loss, gradient = LARGEST_ERRORS[precision]
    if errors["loss_error"] > loss or errors["gradient_error"] > gradient:
        figures = f"the loss is off by {errors['loss_error']:.1e}, a gradient's norm by {errors['gradient_error']:.1e}"
        return f"not the same work: {figures}"
    return ""


def try_variant(peers, variant, facts, seconds):
    trial = Trial(variant)
    try:
        trial.errors = peers.check(variant)
        trial.refused = wrong_work(trial.errors, variant)
        if trial.refused:
            return trial
        worker, parameters = peers.start(variant)
        if parameters != facts["parameters"]:
            worker.fail(f"has {parameters} parameters, ours {facts['parameters']}")
        first = worker.ask(first=0, count=WARM_UP_STEPS)
        count = max(2, round(seconds * WARM_UP_STEPS / first["seconds"]))
        answer = worker.ask(first=WARM_UP_STEPS, count=count)
        worker.close()
    except Failed as failure:
        trial.refused = str(failure)
        return trial
    trial.tokens_per_second = answer["tokens"] / answer["seconds"]
    trial.peak_memory = answer["peak_memory"]
    return trial


def try_variants(peers, variants, facts, seconds, say):
    """A trial of each, the fastest first; those that do not take part last."""
    trials = []
    for variant in variants:
        trial = try_variant(peers, variant, facts, seconds)
        result = trial.refused or f"{trial.tokens_per_second:,.0f} target tokens/s, {trial.peak_memory >> 20:,} MiB"
        say(f"  {variant.precision} {variant.name}: {result}")
        trials.append(trial)
    return sorted(trials, key=lambda trial: -trial.tokens_per_second)
