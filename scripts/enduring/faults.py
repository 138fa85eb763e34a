"""What disturbs a server meanwhile: clients that are slow, or vanish, and reloads of its models."""

import contextlib
import random
import signal
import socket
import threading
import time
import urllib.parse

BODY = b'{"q": "The cat sat on the mat.", "source": "auto", "target": "en"}'
HEAD = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
REQUEST = HEAD % len(BODY) + BODY
SLOW_SECONDS = 0.3  # between two bytes


class Fault(threading.Thread):
    """Does something again and again until it is told to stop; counts how often."""

    def __init__(self, url, pause):
        super().__init__(daemon=True)
        place = urllib.parse.urlsplit(url)
        self.address = (place.hostname, place.port)
        self.pause = pause
        self.count = 0
        self.is_over = threading.Event()
        self.random = random.Random(1)

    def run(self):
        while not self.is_over.wait(self.random.uniform(0.5, 1.5) * self.pause):
            with contextlib.suppress(OSError):  # the server has closed the connection, as it may
                self.strike()
                self.count += 1

    def stop(self):
        self.is_over.set()
        self.join()
        return self.count

    def connect(self):
        connection = socket.create_connection(self.address)
        connection.settimeout(60)
        return connection


class SlowClient(Fault):
    """Sends a request byte by byte, and vanishes when it is tired of it."""

    name = "slow clients"

    def strike(self):
        with self.connect() as connection:
            for i in range(self.random.randrange(1, 40)):
                connection.sendall(REQUEST[i : i + 1])
                if self.is_over.wait(SLOW_SECONDS):
                    return


class VanishingClient(Fault):
    """Sends a part of a request, or all of it, and does not wait for the answer."""

    name = "clients that vanished"

    def strike(self):
        with self.connect() as connection:
            connection.sendall(REQUEST[: self.random.randrange(1, len(REQUEST) + 1)])
            time.sleep(self.random.uniform(0, 0.05))


class Reload(Fault):
    """Has the server load its models again."""

    name = "reloads"

    def __init__(self, url, pause, process):
        super().__init__(url, pause)
        self.process = process

    def strike(self):
        self.process.send_signal(signal.SIGHUP)
