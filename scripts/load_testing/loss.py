"""One of several servers is ended in the middle of a load test, and what became of the requests."""

import signal
import threading
import time

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGTERM}
SHARE_BEFORE = 1 / 3  # of all requests
SETTLE_SECONDS = 0.05  # in which answers that a held server has sent arrive


class Loss(threading.Thread):
    """Ends the first server once a third of all requests is answered and some are under way in it. It is held until some
    are, so that none is answered between a look at their number and the signal."""

    def __init__(self, how, server, balancer, requests):
        super().__init__(daemon=True)
        self.how, self.server, self.balancer, self.requests = how, server, balancer, requests
        self.lost = balancer.backends[0]
        self.under_way = 0  # requests, just before the signal
        self.ended = None   # when the server's process was gone, by time.monotonic()
        self.complaint = None
        self.is_over = threading.Event()

    def has_come(self):
        answered = sum(backend.answered for backend in self.balancer.backends)
        return answered >= self.requests * SHARE_BEFORE

    def run(self):
        while not self.has_come():
            if self.is_over.wait(0.0005):
                return
        self.server.process.send_signal(signal.SIGSTOP)
        self.is_over.wait(SETTLE_SECONDS)
        while not self.lost.under_way:
            if self.is_over.wait(0.0005):
                self.server.process.send_signal(signal.SIGCONT)
                return
        self.under_way = self.lost.under_way
        self.complaint = self.server.end(SIGNALS[self.how])
        self.ended = time.monotonic()

    def finish(self):
        """Waits for the server's end. There are no more requests."""
        self.is_over.set()
        self.join()

    def errors(self, failed):
        """What is wrong after the test; `failed`: the requests that clients saw fail with 502."""
        if self.ended is None:
            return ["the test was over before a server was ended: ask for more --requests"]
        errors = [self.complaint] if self.complaint else []
        unanswered = len(self.lost.unanswered)
        if self.how == "stop" and unanswered:
            errors.append(f"{unanswered} requests were lost although the server had time to answer them")
        if any(sent > self.ended for sent in self.lost.unanswered):
            errors.append("a request was lost that was not under way when the server was killed")
        errors += [f"{len(backend.unanswered)} requests were lost by a server that was not ended"
                   for backend in self.balancer.backends if backend is not self.lost and backend.unanswered]
        if failed != (0 if self.balancer.repeats else unanswered):
            errors.append(f"{failed} requests failed, and {unanswered} were under way")
        return errors

    def figures(self):
        return {
            "under way": self.under_way,
            "unanswered": len(self.lost.unanswered),
            "answered by each": [backend.answered for backend in self.balancer.backends],
        }
