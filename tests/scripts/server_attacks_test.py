#!/usr/bin/env python3
"""translate-serve under attack: endless headers, slow and silent clients, malformed requests, other web sites. It keeps
its memory small, answers /health within a second all the while, and translates afterwards.
TRANSLATE_BIN_DIR: the programs' folder."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import sys
import tempfile
import time
import unittest
import urllib.parse

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "python")]

from programs import BIN_DIR, train  # noqa: E402
from served import ServerProcess  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="translate-attacks-"))
MEBIBYTE = 1 << 20
HEALTH_SECONDS = 1.0
FIELDS = {"q": "The cat sat", "source": "en", "target": "fr"}
BODY = json.dumps(FIELDS).encode()
HEAD = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CLOSE = b"Connection: close\r\n"


def setUpModule():
    global CHECKPOINT
    model = {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_ff": 16000}  # of some weight, for --learn
    CHECKPOINT = train(FOLDER, {"vocab_size": 300, "shared": True}, model, 1)


def tearDownModule():
    shutil.rmtree(FOLDER, ignore_errors=True)


class Server(ServerProcess):
    def __init__(self, *options, limit=None, files=None):
        def set_limits():
            for kind, value in ((resource.RLIMIT_AS, limit), (resource.RLIMIT_NOFILE, files)):
                if value:
                    resource.setrlimit(kind, (value, value))

        super().__init__([BIN_DIR / "translate-serve", "--threads", "1", "--checkpoint", CHECKPOINT, "--source-language",
                          "en", "--target-language", "fr", *options], preexec_fn=set_limits)

    def free_files(self):
        """How many more files the server may open."""
        limits = pathlib.Path(f"/proc/{self.process.pid}/limits").read_text()
        return int(re.search(r"Max open files\s+(\d+)", limits)[1]) - len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.settimeout(60)
        return connection

    def ask(self, data, half_close=False):
        """The answers to these bytes until the server closes the connection: (statuses, everything)."""
        with self.connect() as connection:
            with contextlib.suppress(OSError):  # refused before everything was sent
                connection.sendall(data)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", answer)], answer

    def request(self, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, dict(headers))
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, text

    def translate(self):
        return self.request("POST", "/translate", BODY, {"Content-Type": "application/json"})[0]

    def slowest_health(self, count):
        seconds = []
        for _ in range(count):
            start = time.monotonic()
            status, _ = self.request("GET", "/health")
            assert status == 200, status
            seconds.append(time.monotonic() - start)
        return max(seconds)


class Headers(unittest.TestCase):
    def flood(self, server, piece, most):
        """Sends pieces of a head that never ends; the answer."""
        with server.connect() as connection:
            with contextlib.suppress(OSError):
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: ")
                for _ in range(most // len(piece)):
                    connection.sendall(piece)
            with contextlib.suppress(OSError):
                return connection.recv(4096)
        return b""

    def test_endless_ones_take_no_memory(self):
        for limit in (None, 2048 * MEBIBYTE):
            with Server(limit=limit) as server:
                before = server.memory()
                for piece in (b"x" * 65536, b"y\r\nX-Header: " * 6000):
                    answer = self.flood(server, piece, 64 * MEBIBYTE)
                    self.assertRegex(answer, b"^HTTP/1.1 431|^$")  # empty: reset before it was read
                self.assertLess(server.memory() - before, 16 * MEBIBYTE)
                self.assertEqual(server.translate(), 200)

    def test_a_long_one_is_answered_with_431_or_414(self):
        with Server() as server:
            many = b"".join(b"X-%d: y\r\n" % i for i in range(200))
            for head, status in ((b"X: " + b"x" * 30000 + b"\r\n", 431), (many, 431)):
                self.assertEqual(server.ask(HEAD + head + LENGTH + b"\r\n" + BODY)[0], [status])
            self.assertEqual(server.ask(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")[0], [414])
            self.assertEqual(server.ask(b"GET /?" + b"a" * 900000)[0], [414])

    def test_a_query_holds_the_longest_text(self):
        with Server("--max-characters", "3000", "--no-split", "--max-length", "8") as server:
            for letter, count, status in (("Ж", 3000, 200), ("Ж", 3001, 400), ("😀", 3000, 200), ("😀", 30000, 414)):
                query = urllib.parse.urlencode({**FIELDS, "q": letter * count})
                self.assertEqual(server.request("POST", "/translate?" + query)[0], status, f"{letter} {count}")


class SlowClients(unittest.TestCase):
    def test_a_byte_now_and_then_holds_up_nobody_and_ends_with_the_deadline(self):
        with Server("--client-timeout", "5", "--http-threads", "4") as server, contextlib.ExitStack() as stack:
            before = server.memory()
            slow = [stack.enter_context(server.connect()) for _ in range(70)]
            for byte in b"GET /":
                for connection in slow:
                    connection.sendall(bytes([byte]))
                self.assertLess(server.slowest_health(4), HEALTH_SECONDS)
                self.assertEqual(server.translate(), 200)
            for connection in slow:
                self.assertRegex(connection.recv(4096), b"^HTTP/1.1 408 ")
            self.assertLess(server.memory() - before, 16 * MEBIBYTE)

    def test_silent_ones_make_room(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 2048), most))
        with Server("--max-connections", "200") as server, contextlib.ExitStack() as stack:
            before = server.memory()
            for _ in range(1000):
                stack.enter_context(server.connect())
            self.assertLess(server.slowest_health(20), HEALTH_SECONDS)
            self.assertLess(server.memory() - before, 32 * MEBIBYTE)
            time.sleep(1.2)  # until the silent ones have had their second
            self.assertEqual(server.translate(), 200)

    def test_they_make_room_where_the_system_allows_few_files(self):
        with Server(files=64) as server, contextlib.ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(server.connect())
            self.assertLess(server.slowest_health(5), HEALTH_SECONDS)

    def test_they_are_served_until_another_comes_where_no_file_is_left(self):
        """The server notices that there is no file left before another client comes."""
        with Server(files=64) as server, contextlib.ExitStack() as stack:
            head = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
            clients = [stack.enter_context(server.connect()) for _ in range(server.free_files())]
            for client in clients:
                client.sendall(head)  # without its end
            time.sleep(0.5)
            self.assertEqual(server.free_files(), 0)
            for client in clients:
                with contextlib.suppress(OSError):
                    client.sendall(b"\r\n")
            self.assertEqual([client.recv(12) for client in clients], [b"HTTP/1.1 200"] * len(clients))

    def test_too_few_files_are_refused_at_the_start(self):
        refusal = r"\(ulimit -n\), too few for a server: expected at least"
        with self.assertRaisesRegex(AssertionError, refusal), Server(files=8):
            pass

    def test_pages_that_are_not_read_take_no_memory(self):
        with Server("--learn") as server, contextlib.ExitStack() as stack:
            page = len(server.request("GET", "/learn")[1])
            self.assertGreater(page, 2 * MEBIBYTE)
            before = server.memory()
            for _ in range(300):
                connection = stack.enter_context(server.connect())
                connection.sendall(b"GET /learn HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertLess(server.slowest_health(5), HEALTH_SECONDS)
            self.assertLess(server.memory() - before, 32 * MEBIBYTE)
            self.assertEqual(server.translate(), 200)

    def test_answers_that_are_not_taken_are_given_up(self):
        with Server("--client-timeout", "1") as server, contextlib.ExitStack() as stack:
            for _ in range(20):
                connection = stack.enter_context(server.connect())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.settimeout(0.2)
                with contextlib.suppress(OSError):
                    for _ in range(1000):
                        connection.sendall(b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            self.assertLess(server.slowest_health(5), HEALTH_SECONDS)

    def test_memory_comes_back_after_many_large_requests(self):
        with Server("--max-characters", "100000") as server:
            before = server.memory()
            with contextlib.ExitStack() as stack:
                for _ in range(120):
                    connection = stack.enter_context(server.connect())
                    with contextlib.suppress(OSError):
                        connection.sendall(HEAD + b"Content-Length: 1200000\r\n\r\n" + b"x" * 1000000)
                during = server.memory()
                self.assertLess(server.slowest_health(10), HEALTH_SECONDS)
            self.assertLess(during - before, 200 * MEBIBYTE)
            end = time.monotonic() + 10
            while server.memory() - before > 16 * MEBIBYTE and time.monotonic() < end:
                time.sleep(0.1)
            self.assertLess(server.memory() - before, 16 * MEBIBYTE)


class Framing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def test_messages_whose_end_is_in_doubt_are_refused(self):
        chunked = b"Transfer-Encoding: chunked\r\n"
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
        length = len(BODY)
        get = b"GET /health HTTP/1.1\r\n"
        host = b"Host: localhost\r\n"
        for name, data in {
            "two differing lengths": HEAD + LENGTH + b"Content-Length: 5\r\n\r\n" + BODY,
            "two equal lengths": HEAD + LENGTH + LENGTH + b"\r\n" + BODY,
            "digits and letters": HEAD + b"Content-Length: %dabc\r\n\r\n" % length + BODY,
            "a list": HEAD + b"Content-Length: %d, 5\r\n\r\n" % length + BODY,
            "a list of equals": HEAD + b"Content-Length: %d, %d\r\n\r\n" % (length, length) + BODY,
            "a plus sign": HEAD + b"Content-Length: +%d\r\n\r\n" % length + BODY,
            "a minus sign": HEAD + b"Content-Length: -1\r\n\r\n" + BODY,
            "length and chunks": HEAD + LENGTH + chunked + b"\r\n" + chunks,
            "chunks and length": HEAD + chunked + LENGTH + b"\r\n" + chunks,
            "another coding": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks,
            "no coding": HEAD + b"Transfer-Encoding: identity\r\n\r\n" + BODY,
            "a wrong chunk size": HEAD + chunked + b"\r\nxyz\r\n" + BODY + b"\r\n0\r\n\r\n",
            "a chunk that is too short": HEAD + chunked + b"\r\n2\r\n" + BODY + b"\r\n0\r\n\r\n",
            "chunks with bare LF": HEAD + chunked + b"\r\n" + chunks.replace(b"\r\n", b"\n"),
            "bare LF": get.replace(b"\r\n", b"\n") + b"Host: localhost\n\n",
            "bare CR": get + b"Host: localhost\rX: y\r\n\r\n",
            "a folded header": get + host + b"X: y\r\n z\r\n\r\n",
            "a space before the colon": get + b"Host : localhost\r\n\r\n",
            "no Host": get + b"\r\n",
            "two Hosts": get + host + host + b"\r\n",
            "a whole URL": b"GET http://localhost/health HTTP/1.1\r\n" + host + b"\r\n",
            "NUL in the target": b"GET /hea\0lth HTTP/1.1\r\n" + host + b"\r\n",
            "NUL in a header": get + host + b"X: a\0b\r\n\r\n",
            "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        }.items():
            with self.subTest(name):
                statuses, answer = self.server.ask(data + get + host + b"\r\n")
                self.assertEqual(statuses, [400])
                for header in (b"Connection: close", b"Content-Type:", b"Content-Length:"):
                    self.assertEqual(answer.count(header), 1, answer)

    def test_pipelined_and_half_closed_requests_are_answered(self):
        one = HEAD + LENGTH + b"\r\n" + BODY
        statuses, answer = self.server.ask(one * 3, half_close=True)
        self.assertEqual(statuses, [200] * 3)
        self.assertEqual(answer.count(b"translatedText"), 3)
        self.assertEqual(self.server.ask(one * 2 + HEAD + CLOSE + LENGTH + b"\r\n" + BODY + one)[0], [200] * 3)
        self.assertEqual(self.server.ask(one[:-1], half_close=True)[0], [400])

    def test_continue_is_said_only_for_a_body_that_is_read(self):
        expect = HEAD + CLOSE + b"Expect: 100-continue\r\n"
        statuses, _ = self.server.ask(expect + b"Content-Length: 99999999\r\n\r\n")
        self.assertEqual(statuses, [413])
        with self.server.connect() as connection:
            connection.sendall(expect + LENGTH + b"\r\n")
            self.assertEqual(connection.recv(4096), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(BODY)
            self.assertRegex(connection.recv(4096), b"^HTTP/1.1 200 OK\r\n")

    def test_wrong_values_are_the_clients_mistake(self):
        json_type, form_type = {"Content-Type": "application/json"}, {"Content-Type": "application/x-www-form-urlencoded"}
        for body in ('{"q": "a", "source": "en", "target": "fr", "x": 1e999}', '{"q": 1e999}'):
            self.assertEqual(self.server.request("POST", "/translate", body, json_type)[0], 400)
        for form in ("q=%FF&source=en&target=fr", "q=%C3&source=en&target=fr"):
            self.assertEqual(self.server.request("POST", "/translate", form, form_type)[0], 400)
            self.assertEqual(self.server.request("POST", "/translate?" + form)[0], 400)
        self.assertEqual(self.server.request("POST", "/detect", "q=%FF", form_type)[0], 400)


class OtherSites(unittest.TestCase):
    def refusal(self, server, headers, method="POST", path="/translate"):
        headers = {"Content-Type": "application/x-www-form-urlencoded", **headers}
        status, text = server.request(method, path, urllib.parse.urlencode(FIELDS) if method == "POST" else None, headers)
        return text if status == 403 else status

    def test_they_are_refused_by_default(self):
        with Server() as server:
            own = f"localhost:{server.port}"
            for host in (own, "localhost", "127.0.0.1", "[::1]:5000"):
                self.assertEqual(self.refusal(server, {"Host": host}), 200)
                self.assertEqual(self.refusal(server, {"Host": host, "Origin": "http://" + host}), 200)
            for path, method in (("/translate", "POST"), ("/detect", "POST"), ("/", "GET"), ("/health", "GET")):
                refusal = self.refusal(server, {"Host": "evil.example"}, method, path)
                self.assertIn("--allow-host evil.example", refusal)
            for headers in ({"Origin": "https://evil.example"}, {"Origin": "http://localhost:1"}, {"Origin": "null"},
                            {"Sec-Fetch-Site": "cross-site"}):
                for path in ("/translate", "/detect"):
                    self.assertIn("--cors", self.refusal(server, headers, path=path))
            self.assertEqual(self.refusal(server, {"Sec-Fetch-Site": "cross-site"}, "GET", "/"), 200)  # a link

    def test_they_are_let_in_by_the_options(self):
        with Server("--allow-host", "a.example", "--allow-host", "b.example", "--cors", "https://c.example") as server:
            for headers in ({"Host": "a.example:8443"}, {"Host": "b.example", "Origin": "https://b.example"},
                            {"Origin": "https://a.example"}, {"Origin": "https://c.example"}):
                self.assertEqual(self.refusal(server, headers), 200)
            for headers in ({"Host": "c.example"}, {"Origin": "http://c.example"}, {"Origin": "https://d.example"}):
                self.assertIn("refused", str(self.refusal(server, headers)))


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
