"""What the runs have come to over time."""

import math

from run_metrics import read_reports

# Each metric: the kind of report that holds it, and its field there.
METRICS = {"bleu": ("validation", "bleu"), "loss": ("validation", "loss"), "train-loss": ("train", "loss")}
# Each axis: the field of a report, and what that is divided by.
AXES = {"step": ("step", 1), "epoch": ("epoch", 1), "minutes": ("seconds", 60)}


def read_curve(run, metric, axis):
    """Points (x, y) of a run's folder, rising in x. ValueError where there are none."""
    kind, field = METRICS[metric]
    key, unit = AXES[axis]
    points = [(report[key] / unit, report[field]) for report in read_reports(run)
              if report["kind"] == kind and report[field] is not None and math.isfinite(report[field])]
    if not points:
        raise ValueError(f"{run}: no {metric} yet: nothing to draw")
    return points
