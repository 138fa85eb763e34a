"""A translate-serve for tests of the server."""

import pathlib
import re
import signal
import subprocess
import threading


class ServerProcess:
    """A translate-serve at a port of its own, which SIGTERM ends with the block. `command`: without --port."""

    def __init__(self, command, preexec_fn=None):
        self.process = subprocess.Popen([*command, "--port", "0"], stderr=subprocess.PIPE, encoding="utf-8",
                                        preexec_fn=preexec_fn)
        log = []
        for line in self.process.stderr:
            log.append(line)
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            self.process.stderr.close()
            raise AssertionError(f"translate-serve ended with {self.process.wait()}: {' '.join(log)}")
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.reader.join()
        self.process.stderr.close()
        assert code == 128 + signal.SIGTERM, f"the server ended with {code}"

    def memory(self, which="VmRSS"):
        """Resident bytes; VmHWM: the most so far."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(re.search(rf"{which}:\s+(\d+)", status)[1])
