"""Trains the runs of a sweep one after the other."""

import hashlib
import json
import pathlib
import signal
import subprocess
import sys
import time

from sweeping.results import DONE, figure

TIME_IS_UP = 3


def say(text):
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


class Runner:
    """Starts translate-train, and stops it when the time is up or a signal comes."""

    def __init__(self, program, config, options, minutes):
        self.program = program.resolve()
        self.config = config
        self.options = options
        self.end = time.monotonic() + 60 * minutes if minutes else None
        self.process = None
        self.is_told = False
        self.signal = None

    def stop(self, number, _frame):
        """The handler of SIGINT and SIGTERM: the run in hand saves and ends, no other begins."""
        self.signal = number
        if self.process:
            self._tell_to_end()

    def _tell_to_end(self):
        """Once: a second signal would end translate-train at once, without a checkpoint."""
        if not self.is_told:
            self.is_told = True
            self.process.send_signal(signal.SIGTERM)

    def run_all(self, results):
        """Trains what is not done yet; the exit code."""
        results.write()
        for number, run in enumerate(results.runs, 1):
            label = f"[{number}/{len(results.runs)}] {run.name}"
            if self._is_done(run):
                say(f"{label}: done before")
                continue
            if self.signal or self._time_is_up():
                break
            say(f"{label}: {'going on at step ' + str(run.step) if run.step else 'starting'}")
            self._train(run)
            run.read()
            results.write()
            say(f"{label}: {run.status}; best {run.metric or 'score'} {figure(run.best)} at step {run.best_step}, "
                f"{run.step} steps, {run.minutes:.1f} minutes")
        if self.signal:
            return 128 + self.signal
        if any(run.status == "failed" for run in results.runs):
            return 1
        return 0 if all(run.status == "done" for run in results.runs) else TIME_IS_UP

    def _time_is_up(self):
        return self.end is not None and time.monotonic() >= self.end

    def _mark(self, run):
        """What a finished run was finished with: another limit in the configuration may ask for more of it."""
        path = pathlib.Path(self.config)
        text = path.read_bytes() if path.is_file() else str(self.config).encode("utf-8")
        return {"config": hashlib.sha256(text).hexdigest(), "settings": run.settings, "options": self.options}

    def _is_done(self, run):
        try:
            return json.loads((run.folder / DONE).read_text(encoding="utf-8")) == self._mark(run)
        except (OSError, json.JSONDecodeError):
            return False

    def _train(self, run):
        command = [str(self.program), "--config", self.config, "--run-dir", str(run.folder)]
        for key, value in run.settings.items():
            command += ["--set", f"{key}={value}"]
        (run.folder / DONE).unlink(missing_ok=True)
        log = run.folder.with_name(run.folder.name + ".log")
        self.is_told = False
        with log.open("ab") as stderr:
            # A session of its own: Ctrl-C reaches it through stop(), once.
            self.process = subprocess.Popen(command + self.options, stdout=subprocess.DEVNULL, stderr=stderr,
                                            start_new_session=True)
            code = self._wait()
        self.process = None
        run.status = "stopped"
        if code == 0:
            (run.folder / DONE).write_text(json.dumps(self._mark(run)) + "\n", encoding="utf-8")
        elif code not in (128 + signal.SIGTERM, -signal.SIGTERM):  # the latter: it had not begun to train
            run.status = "failed"
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            say(f"  exit code {code}: {lines[-1] if lines else 'no message'} ({log})")

    def _wait(self):
        """The exit code; the process is told to end when the time is up."""
        left = None if self.end is None else max(self.end - time.monotonic(), 0)
        if self.signal:  # it came while the process was being started
            self._tell_to_end()
        try:
            return self.process.wait(timeout=left)
        except subprocess.TimeoutExpired:
            self._tell_to_end()
            return self.process.wait()
