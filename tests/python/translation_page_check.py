#!/usr/bin/env python3
"""Uses the page of a running translate-serve in headless Chromium, as a phone and as a desktop, light and dark.

Types, waits, presses Ctrl+Enter and the buttons, lets the server fail and come back; fails when the page logs an error,
asks for anything but the server, scrolls sideways, or shows something else than the server said. With --screenshots,
saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import json
import time
import urllib.request

from browser import argument_parser, check_as

SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 800}}
TEXT = "A man is riding a horse.\n\nTwo dogs are playing in the snow."


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("server", metavar="URL", help="of the server, such as http://127.0.0.1:5000")
    return parser.parse_args()


def get(url):
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)


def translate(server, text):
    """What the server says without a browser."""
    source = get(server + "/languages")[0]
    body = json.dumps({"q": text, "source": source["code"], "target": source["targets"][0]}).encode()
    request = urllib.request.Request(server + "/translate", body, {"Content-Type": "application/json"})
    return get(request)["translatedText"]


class Walk:
    """One visit to the page, and what was wrong with it."""

    def __init__(self, browser, options, size, scheme):
        self.options, self.name = options, f"{size}-{scheme}"
        self.page = browser.new_page(viewport=SIZES[size], color_scheme=scheme, device_scale_factor=2)
        self.page.set_default_timeout(60000)
        self.failures, self.asked = [], 0
        self.expect_errors = False  # Chromium itself logs answers with an error's status
        self.page.on("console", lambda message: self.expect_errors or self.fail(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.fail(f"error: {error}"))
        self.page.on("request", self.note_request)

    def fail(self, what):
        self.failures.append(f"{self.name}: {what}")

    def expect(self, holds, what):
        if not holds:
            self.fail(what)

    def note_request(self, request):
        self.asked += request.url.endswith("/translate")
        if not request.url.startswith((self.options.server + "/", "data:")):
            self.fail(f"request: {request.url}")

    def picture(self, what):
        width, room = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self.expect(width <= room, f"{what}: {width} pixels wide where there are {room}")
        if self.options.screenshots:
            self.page.screenshot(path=self.options.screenshots / f"translate-{self.name}-{what}.png", full_page=True)

    def translation(self):
        return self.page.get_by_label("Translation", exact=True).input_value()

    def wait_until(self, holds):
        """Whether it comes to hold. (The page's policy forbids what playwright would wait with.)"""
        end = time.monotonic() + 60
        while not holds() and time.monotonic() < end:
            self.page.wait_for_timeout(20)
        return holds()

    def await_translation(self, words):
        if not self.wait_until(lambda: self.translation() == words):
            self.fail(f"the translation is {self.translation()!r}, not {words!r}")

    def start(self):
        self.page.goto(self.options.server + "/")
        self.wait_until(lambda: self.page.locator("#source option").count() > 0)
        source = get(self.options.server + "/languages")[0]
        self.expect(self.page.get_by_label("From", exact=True).input_value() == source["code"], "the source language")
        self.expect(self.page.get_by_label("To", exact=True).input_value() == source["targets"][0], "the target language")
        self.expect(self.page.get_by_role("button", name="Translate").is_disabled(), "a button without a text")
        self.picture("empty")

    def type(self, words):
        """Typing translates by itself, and after a pause alone."""
        box = self.page.get_by_label("Text to translate")
        self.expect(box.evaluate("box => box === document.activeElement"), "the text is not where typing goes")
        self.page.keyboard.type("A man", delay=10)
        self.expect(self.asked == 0, "a request in the middle of a word")
        box.fill(TEXT)
        self.await_translation(words)
        self.expect(self.asked == 1, f"{self.asked} requests for one text")
        self.picture("translated")

    def press(self):
        """Without live translation nothing is asked before the keys or the button are pressed."""
        box = self.page.get_by_label("Text to translate")
        self.page.get_by_label("Translate while typing").uncheck()
        for press in (lambda: box.press("Control+Enter"), self.page.get_by_role("button", name="Translate").click):
            before = self.asked
            box.fill("A dog.")
            self.page.wait_for_timeout(800)
            self.expect(self.asked == before, "a request that no one asked for")
            press()
            self.await_translation(translate(self.options.server, "A dog."))
            box.fill("x")
            press()
        self.page.get_by_label("Translate while typing").check()

    def overtake(self, words):
        """An answer that comes late does not replace that of a newer text."""
        box, held = self.page.get_by_label("Text to translate"), []
        self.page.route("**/translate", lambda route: held.append(route) if not held else route.continue_())
        box.fill("A cat.")
        box.press("Control+Enter")
        self.page.wait_for_timeout(200)
        box.fill(TEXT)
        box.press("Control+Enter")
        self.await_translation(words)
        for route in held:
            route.fulfill(status=200, content_type="application/json", body='{"translatedText": "late"}')
        self.page.unroute("**/translate")
        self.page.wait_for_timeout(300)
        self.await_translation(words)

    def break_down(self, words):
        """Errors are shown in the server's words, and go when all is well again."""
        box, error = self.page.get_by_label("Text to translate"), self.page.get_by_role("alert")
        self.expect_errors = True
        answer = {"status": 503, "content_type": "application/json", "body": '{"error": "too much to do"}'}
        for react, shown in ((lambda route: route.fulfill(**answer), "too much to do"),
                             (lambda route: route.abort(), "does not answer"),
                             (lambda route: route.fulfill(status=502, body="<html>"), "status 502"),
                             (lambda route: route.fulfill(status=200, body="<html>"), "not understood")):
            self.page.route("**/translate", react)
            box.press("Control+Enter")
            self.expect(self.wait_until(lambda: error.is_visible() and shown in error.inner_text()),
                        f"the error {shown!r} is not shown")
            self.page.unroute("**/translate")
        self.picture("error")
        box.press("Control+Enter")
        self.expect(self.wait_until(lambda: not error.is_visible()), "the error stays")
        self.await_translation(words)
        self.page.wait_for_timeout(100)
        self.expect_errors = False

    def overfill(self):
        limit = get(self.options.server + "/frontend/settings")["charLimit"]
        before = self.asked
        self.page.get_by_label("Text to translate").fill("x" * (limit + 1))
        self.page.get_by_label("Text to translate").press("Control+Enter")
        self.expect(self.page.get_by_role("button", name="Translate").is_disabled(), "a text that is too long")
        self.page.wait_for_timeout(700)
        self.expect(self.asked == before, "a request for a text that is too long")
        self.expect("old" in (self.page.get_by_label("Translation", exact=True).get_attribute("class") or ""),
                    "a translation of another text looks like that of this one")
        self.picture("too-long")
        self.page.get_by_role("button", name="Clear").click()
        self.await_translation("")

    def run(self):
        words = translate(self.options.server, TEXT)
        self.start()
        self.type(words)
        self.press()
        self.overtake(words)
        self.break_down(words)
        self.overfill()
        self.page.close()
        return self.failures


def main():
    options = arguments()
    options.server = options.server.rstrip("/")
    check_as(SIZES, options, options.server, lambda browser, *where: Walk(browser, options, *where).run())


if __name__ == "__main__":
    main()
