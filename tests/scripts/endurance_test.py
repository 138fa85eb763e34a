#!/usr/bin/env python3
"""scripts/endurance for seconds in place of hours: it notices memory and handles that grow, and lets noise pass.
TRANSLATE_BIN_DIR: the programs' folder."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

from enduring.growth import Growth, Watch  # noqa: E402
from programs import BIN_DIR, CORPUS, train  # noqa: E402

LEAK = """
import time
kept = []
for _ in range(40):
    kept.append((bytearray(1 << 20), open("/dev/null")))
    time.sleep(0.05)
"""


class Growing(unittest.TestCase):
    def test_a_leak_is_seen(self):
        process = subprocess.Popen([sys.executable, "-c", LEAK])
        watch = Watch(process.pid, interval=0.05)
        watch.start()
        process.wait()
        growth = watch.stop()
        self.assertFalse(growth["memory"].is_zero(0.02))
        self.assertFalse(growth["open files"].is_zero(0.02))
        self.assertTrue(growth["threads"].is_zero(0.02))

    def test_noise_and_a_peak_pass(self):
        times = [float(second) for second in range(100)]
        values = [1000 + 20 * (second * 7 % 5) for second in range(100)]
        values[60:65] = [5000] * 5
        self.assertTrue(Growth(times, values).is_zero(0.02))
        self.assertAlmostEqual(Growth(times, [3.0 * second for second in times]).per_hour, 3 * 3600)

    def test_single_steps_of_an_allocator_pass_but_not_many(self):
        times = [float(second) for second in range(100)]
        self.assertTrue(Growth(times, [1000.0 + 2 * (second // 25) for second in range(100)]).is_zero(0.02))
        self.assertFalse(Growth(times, [1000.0 + 20 * (second // 25) for second in range(100)]).is_zero(0.02))

    def test_a_time_that_is_too_short_tells_nothing(self):
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3)"])
        watch = Watch(process.pid, interval=0.1)
        watch.start()
        time.sleep(0.3)
        process.wait()
        self.assertIsNone(watch.stop())


class Endurance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="translate-endurance-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        model = {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 16}
        cls.checkpoint = train(cls.folder, {"vocab_size": 300, "shared": True}, model, 2)

    def endure(self, *arguments):
        """(the figures, what is complained of). Growth is not judged: the time is too short for that."""
        command = [ROOT / "scripts" / "endurance", *arguments[:1], "--bin", BIN_DIR, "--interval", "0.05", "--json",
                   *arguments[1:]]
        done = subprocess.run([str(part) for part in command], capture_output=True, encoding="utf-8", cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        passed = ("grows", "too short", "warning: ")
        complaints = [line for line in done.stderr.splitlines() if not any(part in line for part in passed)]
        return json.loads(done.stdout), complaints

    def options(self):
        return ["--", "--threads", "1", "--checkpoint", self.checkpoint, "--beam-size", "1", "--max-length", "20"]

    def test_training(self):
        figures, complaints = self.endure("train", "--config", "config.json", "--minutes", "0.1", "--", "--threads", "1")
        self.assertEqual(complaints, [])
        self.assertGreater(figures["steps"], 2)
        self.assertGreater(figures["memory"]["level"], 10)

    def test_translating(self):
        figures, complaints = self.endure("infer", "--input", CORPUS / "test.en", "--lines", "5000", *self.options())
        self.assertEqual(complaints, [])
        self.assertEqual(figures["lines"], 5000)

    def test_serving(self):
        figures, complaints = self.endure("serve", "--input", CORPUS / "test.en", "--minutes", "0.05", "--clients", "2",
                                          *self.options())
        self.assertEqual(complaints, [])
        self.assertGreater(figures["answered"], 0)
        self.assertGreater(figures["clients that vanished"], 0)


if __name__ == "__main__":
    unittest.main()
