"""Servers of a load test: each a translate-serve of its own, at a free port."""

import collections
import re
import signal
import subprocess
import sys
import threading
import time

START_SECONDS = 300


class Server:
    """A running translate-serve."""

    def __init__(self, command):
        """`command`: the program with its options, without the port. Ends this program if the server does not start."""
        self.process = subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, encoding="utf-8")
        self.url = None
        self.log = collections.deque(maxlen=20)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def wait_until_it_listens(self):
        end = time.monotonic() + START_SECONDS
        while self.url is None:
            if not self.reader.is_alive() or time.monotonic() > end:
                self.process.kill()
                sys.exit("translate-serve does not start:\n" + "".join(self.log))
            time.sleep(0.01)

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"listening on (\S+)", line):
                self.url = found[1]

    def end(self, number=signal.SIGTERM):
        """Ends it with a signal, and waits; the reason if it did not end as it should, else None. It may be held
        (SIGSTOP): it then goes on, and receives the signal."""
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        code = self.process.wait()
        if code == (-signal.SIGKILL if number == signal.SIGKILL else 128 + number):
            return None
        return f"translate-serve ended with {code}:\n" + "".join(self.log)


def start_servers(command, count):
    """`count` servers, started at the same time."""
    servers = [Server(command) for _ in range(count)]
    for server in servers:
        server.wait_until_it_listens()
    return servers
