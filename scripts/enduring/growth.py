"""A process's memory and handles, watched over time, and how fast they grow."""

import os
import pathlib
import re
import statistics
import threading
import time

SAMPLE_SECONDS = 5.0
WARM_UP = 0.25  # the share of the time in which caches and pools may still fill
HOUR = 3600.0
# Growth by less than this share of the level is not counted: an allocator takes memory in steps, and a single step in a
# short time would be a large slope.
SMALLEST_GROWTH = 0.01
MEBIBYTE = 1 << 20


class Watch(threading.Thread):
    """Samples a process until it ends or stop() is called."""

    def __init__(self, pid, interval=SAMPLE_SECONDS):
        super().__init__(daemon=True)
        self.folder = pathlib.Path("/proc") / str(pid)
        self.interval = interval
        self.samples = []  # (seconds, bytes resident, open files, threads)
        self.is_over = threading.Event()

    def run(self):
        start = time.monotonic()
        while not self.is_over.wait(self.interval):
            try:
                status = (self.folder / "status").read_text()
                resident = 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])
                threads = int(re.search(r"Threads:\s+(\d+)", status)[1])
                self.samples.append((time.monotonic() - start, resident, len(os.listdir(self.folder / "fd")), threads))
            except (OSError, TypeError):  # it has ended, or is ending
                return

    def stop(self):
        """{name: Growth} of memory (bytes), open files and threads; None if the time was too short to tell."""
        self.is_over.set()
        self.join()
        begin = WARM_UP * self.samples[-1][0] if self.samples else 0
        warm = [sample for sample in self.samples if sample[0] >= begin]
        if len(warm) < 8:
            return None
        times = [sample[0] for sample in warm]
        return {name: Growth(times, [sample[column] for sample in warm])
                for column, name in ((1, "memory"), (2, "open files"), (3, "threads"))}


class Growth:
    """The slope of a quantity by Theil and Sen, the median of the slopes between all pairs of samples, which single
    peaks do not move; and its noise, the slopes of the quarters apart from each other."""

    def __init__(self, times, values):
        self.level = statistics.median(values)
        self.most = max(values)
        self.per_hour = HOUR * slope(times, values)
        self.in_all = self.per_hour * (times[-1] - times[0]) / HOUR
        quarter = len(times) // 4
        parts = [slope(times[i * quarter : (i + 1) * quarter], values[i * quarter : (i + 1) * quarter]) for i in range(4)]
        self.noise = HOUR * (max(parts) - min(parts)) / 2

    def is_zero(self, tolerance):
        """Within noise, less than `tolerance` of the level in an hour, or at most SMALLEST_GROWTH of it in the whole time."""
        is_slow = self.per_hour <= max(self.noise, tolerance * self.level)
        return is_slow or self.in_all <= SMALLEST_GROWTH * self.level


def slope(times, values):
    """The median slope between pairs of samples; of long series, of evenly spaced ones."""
    step = max(1, len(times) // 200)
    times, values = times[::step], values[::step]
    slopes = [(values[j] - values[i]) / (times[j] - times[i]) for i in range(len(times)) for j in range(i + 1, len(times))
              if times[j] > times[i]]
    return statistics.median(slopes) if slopes else 0.0
