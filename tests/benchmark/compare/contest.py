"""The rounds: our training, the PyTorch loops and the matrix products take turns on the same batches."""

import dataclasses
import statistics


@dataclasses.dataclass
class Figures:
    """What one contender did, a value a round."""

    name: str
    precision: str
    ours: bool
    tokens_per_second: list = dataclasses.field(default_factory=list)
    smoothed_loss: list = dataclasses.field(default_factory=list)
    peak_memory: int = 0

    def median(self):
        return statistics.median(self.tokens_per_second)

    def add(self, tokens, seconds, smoothed_loss, peak_memory):
        self.tokens_per_second.append(tokens / seconds)
        self.smoothed_loss.append(smoothed_loss)
        self.peak_memory = max(self.peak_memory, peak_memory)


class OurSide:
    """Our training in one precision."""

    def __init__(self, program, facts, precision):
        self.program = program
        self.facts = facts
        self.figures = Figures("translate-train", precision, ours=True)

    def warm_up(self, steps):
        _, last = self.program.run(0, least=steps)
        self.check(0, 0, last)
        return last["step"]

    def round(self, seconds):
        """Trains for about `seconds`. Gives the steps (begin, end) that are measured: begin < step <= end."""
        first, last = self.program.run(seconds)
        tokens = last["target_tokens"] - first["target_tokens"]
        self.check(first["step"], first["target_tokens"], last)
        measured = [report for report in self.program.reports() if first["step"] < report["step"] <= last["step"]]
        loss = statistics.mean(report["smoothed_loss"] for report in measured)
        self.figures.add(tokens, last["seconds"] - first["seconds"], loss, self.program.peak_memory())
        return first["step"], last["step"]

    def check(self, begin, tokens, last):
        """Our training must have had the very batches that were exported."""
        batches = self.facts["target_tokens_by_batch"][begin : last["step"]]
        if len(batches) == last["step"] - begin and tokens + sum(batches) != last["target_tokens"]:
            self.program.fail("did not train on the batches that export_batches wrote")


class TheirSide:
    """A PyTorch loop that does the steps that ours did."""

    def __init__(self, worker, name, precision):
        self.worker = worker
        self.figures = Figures(name, precision, ours=False)
        self.done = 0

    def warm_up(self, steps):
        self.catch_up(steps)

    def catch_up(self, step):
        if step > self.done:
            self.worker.ask(first=self.done, count=step - self.done)
        self.done = step

    def round(self, begin, end):
        """The steps begin < step <= end; those before that ours did besides are done first, untimed."""
        self.catch_up(begin)
        answer = self.worker.ask(first=begin, count=end - begin)
        self.done = end
        self.figures.add(answer["tokens"], answer["seconds"], answer["smoothed_loss"], answer["peak_memory"])


class MatrixRate:
    """The rate of the model's matrix products alone, in one precision."""

    def __init__(self, worker, products, precision):
        self.worker = worker
        self.request = {"products": products, "precision": precision}
        self.precision = precision
        self.flops = sum(2 * rows * inner * outer * count for rows, inner, outer, count in products)
        self.rounds = []  # seconds of forward, input gradient, weight gradient of one step

    def round(self, seconds):
        self.rounds.append(self.worker.ask(seconds=seconds, **self.request))

    def seconds(self):
        """Of a step's products, each kind's median."""
        return {kind: statistics.median(each[kind] for each in self.rounds) for kind in self.rounds[0]}

    def rates(self):
        """FLOP/s of each kind, and of all together."""
        seconds = self.seconds()
        rates = {kind: self.flops / value for kind, value in seconds.items()}
        return rates | {"all": len(seconds) * self.flops / sum(seconds.values())}

    def limit(self, target_tokens):
        """Target tokens/s of a step that does nothing else."""
        return target_tokens / sum(self.seconds().values())
