"""Trains the runs of a sweep, one after the other or several at a time."""

import contextlib
import hashlib
import json
import pathlib
import signal
import subprocess
import sys
import time

from sweeping.results import DONE, figure

TIME_IS_UP = 3
SECONDS_BETWEEN_LOOKS = 0.05


def say(text):
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


class Training:
    """A translate-train under way."""

    def __init__(self, run, label, command):
        self.run = run
        self.label = label
        self.log = run.folder.with_name(run.folder.name + ".log")
        self._is_told = False
        with self.log.open("ab") as stderr:
            # A session of its own: Ctrl-C reaches it through tell_to_end(), once.
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)

    def tell_to_end(self):
        """It saves and ends. Told once: a second signal would end it at once, without a checkpoint."""
        if not self._is_told:
            self._is_told = True
            self._process.send_signal(signal.SIGTERM)

    def code(self):
        """The exit code; None while it trains."""
        return self._process.poll()

    def last_line(self):
        """Of what it told."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"


class Runner:
    """Starts translate-train, and stops it when the time is up or a signal comes."""

    def __init__(self, program, config, options, minutes=None, jobs=1):
        self._program = program.resolve()
        self._config = config
        self._options = options
        self._end = time.monotonic() + 60 * minutes if minutes else None
        self._jobs = jobs
        self._signal = None

    @contextlib.contextmanager
    def stopped_by_signals(self):
        """Within it SIGINT, SIGTERM and SIGHUP let the runs in hand save and end, and no other begin. Under nohup,
        SIGHUP stays ignored."""
        numbers = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
                   if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
        before = {number: signal.signal(number, self._stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number, _frame):
        self._signal = number

    def _is_stopping(self):
        return self._signal is not None or (self._end is not None and time.monotonic() >= self._end)

    def run_all(self, runs, on_change=lambda: None):
        """Trains what is not done yet; the exit code. `on_change` is called at the start and when a run has ended."""
        on_change()
        waiting = [(run, f"[{number}/{len(runs)}] {run.name}") for number, run in enumerate(runs, 1)]
        under_way = []
        while under_way or (waiting and not self._is_stopping()):
            if self._is_stopping():
                for training in under_way:
                    training.tell_to_end()
            elif waiting and len(under_way) < self._jobs:
                if training := self._begin(*waiting.pop(0)):
                    under_way.append(training)
                continue
            time.sleep(SECONDS_BETWEEN_LOOKS)
            for training in [each for each in under_way if each.code() is not None]:
                under_way.remove(training)
                self._finish(training)
                on_change()
        if self._signal:
            return 128 + self._signal
        if any(run.status == "failed" for run in runs):
            return 1
        return 0 if all(run.status == "done" for run in runs) else TIME_IS_UP

    def _mark(self, run):
        """What a finished run was finished with: another limit in the configuration may ask for more of it."""
        path = pathlib.Path(self._config)
        text = path.read_bytes() if path.is_file() else str(self._config).encode("utf-8")
        return {"config": hashlib.sha256(text).hexdigest(), "settings": run.settings, "options": self._options}

    def _is_done(self, run):
        try:
            return json.loads((run.folder / DONE).read_text(encoding="utf-8")) == self._mark(run)
        except (OSError, json.JSONDecodeError):
            return False

    def _begin(self, run, label):
        """The run's training; None where nothing is left of it to do."""
        if self._is_done(run):
            say(f"{label}: done before")
            return None
        say(f"{label}: {'going on at step ' + str(run.step) if run.step else 'starting'}")
        command = [str(self._program), "--config", self._config, "--run-dir", str(run.folder)]
        for key, value in run.settings.items():
            command += ["--set", f"{key}={value}"]
        (run.folder / DONE).unlink(missing_ok=True)
        return Training(run, label, command + self._options)

    def _finish(self, training):
        run, code = training.run, training.code()
        run.status = "stopped"
        if code == 0:
            (run.folder / DONE).write_text(json.dumps(self._mark(run)) + "\n", encoding="utf-8")
        elif code not in (128 + signal.SIGTERM, 128 + signal.SIGHUP, -signal.SIGTERM):  # the last: it was not yet loaded
            run.status = "failed"
            say(f"  exit code {code}: {training.last_line()} ({training.log})")
        run.read()
        say(f"{training.label}: {run.status}; best {run.metric or 'score'} {figure(run.best)} at step {run.best_step}, "
            f"{run.step} steps, {run.minutes:.1f} minutes")
