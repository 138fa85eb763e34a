"""The curves of runs: what they measured, over their course."""

import math

from run_metrics import read_reports

# Each metric: the kind of report that holds it, its field there, and the title of its axis.
METRICS = {"bleu": ("validation", "bleu", "validation BLEU"), "chrf": ("validation", "chrf", "validation chrF"),
           "loss": ("validation", "loss", "validation loss"),
           "train-loss": ("train", "loss", "training loss")}
# Each axis: the field of a report, what that is divided by, and its title.
AXES = {"step": ("step", 1, "training steps"), "epoch": ("epoch", 1, "epochs"),
        "minutes": ("seconds", 60, "minutes of training")}


def read_curve(run, metric, axis):
    """Points (x, y) of a run's folder, rising in x. ValueError where there are none."""
    kind, field, _ = METRICS[metric]
    key, unit, _ = AXES[axis]
    points = [(report[key] / unit, report[field]) for report in read_reports(run)
              if report["kind"] == kind and report[field] is not None and math.isfinite(report[field])]
    if not points:
        raise ValueError(f"{run}: no {metric} yet: nothing to draw")
    return points
