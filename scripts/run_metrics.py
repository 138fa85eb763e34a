"""What translate-train has written into a run's metrics.jsonl."""

import json


def read_reports(run):
    """The reports of a run's folder in order, also while it trains. OSError where there are none."""
    reports = []
    for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines():
        try:
            reports.append(json.loads(line))
        except json.JSONDecodeError:
            continue  # the last line of a process that was killed
    return reports
