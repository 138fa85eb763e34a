#!/usr/bin/env python3
"""scripts/benchmark-scaling measures on a simulated network, leaves nothing behind however it ends, and predicts by the
formula of docs/scaling.md. No times are judged. What needs root and the kernel's tbf is skipped where they are missing.
TRANSLATE_BUILD_DIR: the folder that has benchmark/simulate_updates."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from scaling import network  # noqa: E402
from scaling.prediction import Link, Setting, update_seconds  # noqa: E402

SCRIPT = ROOT / "scripts" / "benchmark-scaling"
PROGRAM = pathlib.Path(os.environ.get("TRANSLATE_BUILD_DIR", ROOT / "build" / "release")) / "benchmark/simulate_updates"
LINK = Link(bytes_per_second=1000.0, payload=1.0, exchange=0.5, step=0.0)
# 400 bytes of fp32 each; the second one's gradients are there when the backward pass ends.
BUCKETS = [{"values": 100, "ready": 0.5}, {"values": 100, "ready": 1.0}]


def setting(**changes):
    return Setting(**{"processes": 2, "compute": 3.0, "update": 0.0, "passes": 1, "wire": "fp32", "sharded": False,
                      **changes})


def run(*options, program=PROGRAM):
    return subprocess.run([SCRIPT, "--program", program, *options], capture_output=True, text=True, timeout=300,
                          check=False)


def leftovers(program):
    """The processes with this program in their command line, and the namespaces that there are."""
    found = subprocess.run(["pgrep", "-f", str(program)], capture_output=True, text=True, check=False).stdout
    names = subprocess.run(["ip", "netns", "list"], env=network.environment(), capture_output=True, text=True, check=False)
    return found.split(), names.stdout


class Formula(unittest.TestCase):
    def test_only_what_is_sent_last_is_not_hidden(self):
        # Both buckets take 0.4 s; the first one is sent one second before the backward pass ends.
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(), LINK), 3.0 + 0.4)

    def test_without_computing_the_link_is_always_busy(self):
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(compute=0.0), LINK), 0.8)

    def test_a_bucket_waits_for_the_one_before(self):
        # The backward pass takes 0.2 s; the first bucket is sent after half of it, and is under way when the second one is full.
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(compute=0.3), LINK), 0.2 + 0.8)

    def test_gradients_are_sent_in_the_last_pass_alone(self):
        # Its backward pass takes 0.5 s, and the first bucket is sent 0.25 s before its end.
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(passes=4), LINK), 3.0 - 0.25 + 0.8)

    def test_half_the_bytes(self):
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(compute=0.0, wire="bf16"), LINK), 0.4)

    def test_more_processes_send_more(self):
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(compute=0.0, processes=4), LINK), 0.8 * 1.5)

    def test_sharded_gradients_go_one_way_and_weights_the_other(self):
        # (1/2 of 800 bytes) at half the rate, then in fp32 at the full rate; each updates half of the weights.
        for wire, gradients in (("fp32", 0.8), ("bf16", 0.4)):
            predicted = update_seconds(BUCKETS, setting(compute=0.0, update=1.0, wire=wire, sharded=True), LINK)
            self.assertAlmostEqual(predicted, gradients + 0.5 + 0.4)

    def test_messages_take_time(self):
        link = Link(bytes_per_second=1e12, payload=1.0, exchange=1.0, step=1.0)
        # 2 (N - 1) for each bucket and for the numbers that are added up at the end.
        self.assertAlmostEqual(update_seconds(BUCKETS, setting(compute=0.0, processes=3), link), 12.0, places=6)


class CommandLine(unittest.TestCase):
    def test_wrong_options_are_refused(self):
        for options, reason in ((["--processes", "1"], "2 or more"), (["--model", "huge"], "tiny, base, big"),
                                (["--links", "0"], "above 0"), (["--compute", "x"], "numbers"),
                                (["--wire", "fp16"], "fp32, bf16"), (["--passes", "0"], "1 or more"),
                                (["--program", "/nowhere"], "is not there")):
            result = run(*options)
            self.assertEqual((result.returncode, result.stdout), (2, ""), options)
            self.assertIn(reason, result.stderr)

    def test_predictions_need_no_network(self):
        result = run("--predict", "--model", "tiny", "--processes", "2,8", "--compute", "1000", "--step", "0")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = result.stdout.splitlines()[2:]
        self.assertEqual([row.split(" | ")[1] for row in rows], ["2", "8"])
        for row in rows:
            self.assertTrue(row.endswith("| 100.0 % |"), row)

    def test_a_user_who_is_not_root_is_told_so(self):
        with unittest.mock.patch("os.geteuid", return_value=1000):
            self.assertIn("root", network.missing_requirement())


@unittest.skipIf(network.missing_requirement(), network.missing_requirement())
class Measurement(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = self.folder / "simulate_updates"  # a name of this test's own
        self.program.symlink_to(PROGRAM)
        self.before = leftovers(self.program)
        self.addCleanup(lambda: self.assertEqual(leftovers(self.program), self.before))

    def test_quick(self):
        path = self.folder / "rows.json"
        result = run("--quick", "--json", str(path), program=self.program)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual([(row["wire"], row["sharded"]) for row in rows],
                         [("fp32", False), ("fp32", True), ("bf16", False), ("bf16", True)])
        for row in rows:
            self.assertGreaterEqual(row["update_seconds"], row["compute_seconds"])
            self.assertGreater(row["exposed_seconds"], 0)
            self.assertTrue(0 < row["efficiency"] <= 1)
            self.assertGreater(row["predicted_seconds"], row["compute_seconds"])
        self.assertEqual(len(result.stdout.splitlines()), 2 + len(rows))

    def test_a_failing_process_is_named_with_what_it_said(self):
        self.program.unlink()
        self.program.write_text('#!/bin/sh\n[ "$RANK" = 1 ] && echo "no luck" >&2 && exit 3\nexec sleep 1\n')
        self.program.chmod(0o755)
        result = run("--quick", program=self.program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("rank 1 ended with 3: no luck", result.stderr)

    def test_signals_end_all_processes(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([SCRIPT, "--program", self.program, "--model", "tiny", "--processes", "2",
                                        "--compute", "100"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            with process:
                end = time.monotonic() + 120
                while len(leftovers(self.program)[0]) < 3 and time.monotonic() < end:  # with the script itself
                    time.sleep(0.05)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), 128 + number, process.stderr.read())
            self.assertEqual(leftovers(self.program), self.before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
