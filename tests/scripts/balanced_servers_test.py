#!/usr/bin/env python3
"""Two servers behind a balancer, one of them ended while clients ask (scripts/load-test --lose): killed, it loses the
requests that were under way in it, with a clear error, and no others; stopped, it loses none.
TRANSLATE_BIN_DIR: the programs' folder."""

import http.client
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "scripts")]

from load_testing.balancer import Balancer  # noqa: E402
from programs import BIN_DIR, CORPUS, train  # noqa: E402

CLIENTS, REQUESTS = 8, 60


def setUpModule():
    global FOLDER, CHECKPOINT
    FOLDER = tempfile.TemporaryDirectory(prefix="translate-balanced-")
    model = {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_ff": 64}
    CHECKPOINT = train(pathlib.Path(FOLDER.name), {"vocab_size": 300, "shared": True}, model, 20)


def tearDownModule():
    FOLDER.cleanup()


class LoadTest(unittest.TestCase):
    def load(self, *options):
        """The figures of a load test that must succeed."""
        command = [ROOT / "scripts" / "load-test", "--bin", BIN_DIR, "--json", "--input", CORPUS / "test.en",
                   "--clients", CLIENTS, "--requests", REQUESTS, "--lines", "4", "--servers", "2", *options,
                   "--", "--threads", "1", "--checkpoint", CHECKPOINT, "--beam-size", "2"]
        done = subprocess.run([str(part) for part in command], capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        figures = json.loads(done.stdout)
        self.assertEqual(figures["answered"] + figures["failed"], CLIENTS * REQUESTS)
        self.assertEqual(sum(figures["answered by each"]), figures["answered"] + figures["refused"])
        self.assertGreater(figures["under way"], 0)
        self.assertGreater(figures["answered by each"][1], CLIENTS * REQUESTS / 2)  # the other one had the rest
        return figures

    def test_a_killed_server_loses_only_what_was_under_way_in_it(self):
        figures = self.load("--lose", "kill")
        self.assertEqual(figures["failed"], figures["unanswered"])
        self.assertGreater(figures["failed"], 0)
        self.assertLessEqual(figures["failed"], CLIENTS)

    def test_nothing_is_lost_if_the_balancer_repeats_it(self):
        figures = self.load("--lose", "kill", "--repeat")
        self.assertEqual(figures["failed"], 0)
        self.assertGreater(figures["unanswered"], 0)

    def test_a_stopped_server_loses_nothing(self):
        figures = self.load("--lose", "stop")
        self.assertEqual([figures["failed"], figures["unanswered"]], [0, 0])


class Unreliable(http.server.BaseHTTPRequestHandler):
    """Closes the connection in place of an answer, except to /health."""

    def do_GET(self):  # noqa: N802  (the name that http.server looks for)
        if self.path == "/health":
            self.send_response(200)
            self.end_headers()

    def log_message(self, *_):
        """Says nothing."""


class BalancerItself(unittest.TestCase):
    """The load test can tell a lost request from an answered one only if its balancer does."""

    def status(self, balancer):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(balancer.url).netloc, timeout=60)
        connection.request("GET", "/x")
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def test_what_was_sent_and_not_answered_is_counted(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Unreliable) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_address[1]}"
            for repeats, status in ((False, 502), (True, 503)):
                balancer = Balancer([url, url], repeats)
                self.assertEqual(self.status(balancer)[0], status)
                self.assertEqual(sum(len(backend.unanswered) for backend in balancer.backends), 2 if repeats else 1)
                balancer.shutdown()
                balancer.server_close()
            server.shutdown()

    def test_nobody_to_connect_to(self):
        balancer = Balancer(["http://127.0.0.1:1"])
        status, text = self.status(balancer)
        self.assertEqual(status, 503)
        self.assertIn("no server", text)
        self.assertEqual(balancer.backends[0].unanswered, [])
        balancer.shutdown()
        balancer.server_close()


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
