"""A small HTTP balancer for tests: it divides requests among servers, and knows which of them were under way when."""

import contextlib
import http.client
import http.server
import itertools
import json
import select
import threading
import time
import urllib.parse

CHECK_SECONDS = 0.2  # between two requests for /health
PATIENCE = 600       # seconds for an answer
NOT_PASSED_ON = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class Backend:
    """One of the servers, and what the balancer knows of it."""

    def __init__(self, url):
        self.place = urllib.parse.urlsplit(url).netloc
        self.is_up = True
        self.under_way = 0
        self.answered = 0
        self.unanswered = []  # when these requests were sent; by time.monotonic()
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def request(self):
        """Counts a request that is sent in the block. An exception of the connection leaves it unanswered."""
        sent = time.monotonic()
        with self.lock:
            self.under_way += 1
        try:
            yield
            with self.lock:
                self.answered += 1
        except (OSError, http.client.HTTPException):
            self.is_up = False
            with self.lock:
                self.unanswered.append(sent)
            raise
        finally:
            with self.lock:
                self.under_way -= 1

    def is_healthy(self):
        connection = http.client.HTTPConnection(self.place, timeout=1)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Balancer(http.server.ThreadingHTTPServer):
    """Listens at a free port. A server that cannot be connected to is passed over. A request that was sent to a server
    and not answered is answered with 502, or with `repeats` sent to another server."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, urls, repeats=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.backends = [Backend(url) for url in urls]
        self.repeats = repeats
        self.turns = itertools.count()
        for task in (self.serve_forever, self._check_health):
            threading.Thread(target=task, daemon=True).start()

    def _check_health(self):
        while True:
            for backend in self.backends:
                backend.is_up = backend.is_healthy()
            time.sleep(CHECK_SECONDS)

    def choose(self, tried):
        """A server that is up, in turn, or the next one that has not been tried; None if there is none."""
        first = next(self.turns) % len(self.backends)
        in_turn = self.backends[first:] + self.backends[:first]
        left = [backend for backend in in_turn if backend not in tried]
        return next((backend for backend in left if backend.is_up), left[0] if left else None)


class Handler(http.server.BaseHTTPRequestHandler):
    """Passes on the requests of one client's connection, over one connection to each server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.connections = {}

    def finish(self):
        for connection in self.connections.values():
            connection.close()
        super().finish()

    def connected(self, backend):
        """An open connection to a server; OSError if there is none to be had."""
        connection = self.connections.setdefault(backend, http.client.HTTPConnection(backend.place, timeout=PATIENCE))
        if connection.sock and select.select([connection.sock], [], [], 0)[0]:
            connection.close()  # the server has closed it
        if not connection.sock:
            connection.connect()
        return connection

    def forward(self, body):
        """The answer of a server: (status, headers, body)."""
        headers = {name: value for name, value in self.headers.items() if name.lower() not in NOT_PASSED_ON}
        tried = set()
        while backend := self.server.choose(tried):
            tried.add(backend)
            try:
                connection = self.connected(backend)
            except OSError:
                backend.is_up = False
                continue
            try:
                with backend.request():
                    connection.request(self.command, self.path, body, headers)
                    response = connection.getresponse()
                    return response.status, response.getheaders(), response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if not self.server.repeats:
                    return self.error(502, f"the server has not answered: {type(error).__name__} {error}")
        return self.error(503, "no server can be connected to")

    @staticmethod
    def error(status, text):
        return status, [("Content-Type", "application/json")], json.dumps({"error": text}).encode()

    def handle_request(self):
        length = int(self.headers.get("Content-Length", 0))
        status, headers, body = self.forward(self.rfile.read(length) if length else None)
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in NOT_PASSED_ON:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = handle_request  # noqa: N815  (the name that http.server looks for)
    do_POST = handle_request  # noqa: N815

    def log_message(self, *_):
        """Says nothing."""
