"""What the runs of a sweep have come to, read from what translate-train leaves in their folders."""

import dataclasses
import json
import math
import statistics

from run_metrics import read_reports
from sweeping.settings import SEED, name_of

DONE = "sweep-done.json"  # in a run's folder: it ended by a limit


@dataclasses.dataclass
class Run:
    """One run and how far it is, as its folder tells."""

    name: str
    folder: object
    settings: dict
    status: str = "not begun"  # stopped, failed, done
    metric: str = ""           # bleu, chrf or loss
    best: float = math.nan     # of the validations
    best_step: int = 0
    step: int = 0
    minutes: float = 0.0

    def __post_init__(self):
        self.read()

    def read(self):
        """Reads the run's folder; leaves `status` alone where the run failed."""
        if self.status != "failed" and self.folder.is_dir():
            self.status = "done" if (self.folder / DONE).is_file() else "stopped"
        try:
            config = json.loads((self.folder / "config.json").read_text(encoding="utf-8"))
            reports = read_reports(self.folder)
        except OSError:
            return
        self.metric = config["training"]["best_metric"]
        self.step = max((report["step"] for report in reports), default=0)
        self.minutes = max((report["seconds"] for report in reports), default=0.0) / 60
        scored = [report for report in reports
                  if report["kind"] == "validation" and report["step"] > 0 and report[self.metric] is not None]
        if scored:
            best = (min if self.metric == "loss" else max)(scored, key=lambda report: report[self.metric])
            self.best, self.best_step = best[self.metric], best["step"]

    def rank(self):
        """Sorts the best first, and those without a figure last."""
        if math.isnan(self.best):
            return (1, 0.0)
        return (0, self.best if self.metric == "loss" else -self.best)


def in_columns(rows):
    """Lines of text; numbers stand at the right of their column."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [f"{cell:>{width}}" if cell[:1].isdigit() or cell[:1] == "-" else f"{cell:<{width}}"
                 for cell, width in zip(row, widths)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def figure(value):
    """A score as text."""
    return "-" if math.isnan(value) else f"{value:.4g}" if abs(value) < 10 else f"{value:.2f}"


class Results:
    """All runs of a sweep."""

    def __init__(self, folder, settings):
        self.folder = folder
        self.runs = [Run(name_of(each), folder / name_of(each), each) for each in settings]
        self.keys = list(dict.fromkeys(key for each in settings for key in each))

    def _columns(self):
        """The keys of which the runs have different values."""
        return [key for key in self.keys if len({run.settings.get(key) for run in self.runs}) > 1]

    def table(self):
        """All runs, the best first; with several seeds then the settings, with mean and deviation."""
        keys = self._columns()
        metric = next((run.metric for run in self.runs if run.metric), "best")
        rows = [keys + [metric, "at step", "steps", "minutes", "status"]]
        for run in sorted(self.runs, key=Run.rank):
            rows.append([run.settings.get(key, "-") for key in keys] +
                        [figure(run.best), str(run.best_step), str(run.step), f"{run.minutes:.1f}", run.status])
        text = in_columns(rows)
        return text + self._over_seeds(metric) if SEED in keys else text

    def _over_seeds(self, metric):
        groups = {}
        for run in self.runs:
            key = tuple((key, value) for key, value in run.settings.items() if key != SEED)
            if not math.isnan(run.best):
                groups.setdefault(key, []).append(run)
        keys = [key for key in self._columns() if key != SEED]
        rows = [keys + [f"mean {metric}", "deviation", "seeds"]]
        sign = 1 if metric == "loss" else -1
        for settings, runs in sorted(groups.items(), key=lambda item: sign * statistics.mean(r.best for r in item[1])):
            scores = [run.best for run in runs]
            deviation = f"{statistics.stdev(scores):.3g}" if len(scores) > 1 else "-"
            rows.append([dict(settings).get(key, "-") for key in keys] +
                        [figure(statistics.mean(scores)), deviation, str(len(scores))])
        return "\n" + in_columns(rows) if groups else ""

    def write(self):
        """Writes results.tsv and results.json."""
        fields = ["name", "status", "metric", "best", "best_step", "step", "minutes"]
        lines = ["\t".join(self.keys + fields)]
        objects = []
        for run in self.runs:
            values = {field: getattr(run, field) for field in fields}
            values["best"] = None if math.isnan(run.best) else run.best
            objects.append({"settings": run.settings, **values})
            lines.append("\t".join([run.settings.get(key, "") for key in self.keys] +
                                   ["" if value is None else str(value) for value in values.values()]))
        (self.folder / "results.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.folder / "results.json").write_text(json.dumps(objects, indent=2) + "\n", encoding="utf-8")
