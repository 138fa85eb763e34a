#!/usr/bin/env python3
"""Uses the page of a running translate-serve in headless Chromium, as a phone and as a desktop, light and dark.

Types, waits, presses Ctrl+Enter and the buttons, opens alternatives and details, has the language detected, takes the hint
of another language, changes the theme, translates files that are chosen and dropped, swaps the languages of a server that
pretends to have both directions, lets the server fail and come back; fails when a page logs an error, asks for anything
but the server, scrolls sideways, shows something else than the server answered, has its button off the screen, or when
axe-core finds it hard to use for some. Looks at /docs, too. With --screenshots, saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import json
import time
import urllib.request

from browser import SIZES, accessibility, argument_parser, check_as, sideways

TEXT = "A man is riding a horse.\n\nTwo dogs are playing in the snow."


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("server", metavar="URL", help="of the server, such as http://127.0.0.1:5000")
    return parser.parse_args()


def get(url):
    with urllib.request.urlopen(url, timeout=60) as response:
        return json.load(response)


def translate(server, text, more=None):
    """What the server answers without a browser: the translation, or with `more` fields the whole answer."""
    source = get(server + "/languages")[0]
    body = json.dumps({"q": text, "source": source["code"], "target": source["targets"][0], **(more or {})}).encode()
    request = urllib.request.Request(server + "/translate", body, {"Content-Type": "application/json"})
    answer = get(request)
    return answer if more else answer["translatedText"]


class Walk:
    """One visit to the page, and what was wrong with it."""

    def __init__(self, browser, options, size, scheme):
        self.options, self.name, self.scheme = options, f"{size}-{scheme}", scheme
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
        for failure in sideways(self.page, what) + accessibility(self.page, self.options, what):
            self.fail(failure)
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
        languages = get(self.options.server + "/languages")
        names = {language["code"]: language["name"] for language in languages}

        def name(side):
            return self.page.locator(f"#{side}-name").inner_text()

        self.wait_until(lambda: name("target") != "")
        self.expect(self.page.locator("#source").input_value() == languages[0]["code"], "the source language")
        offered = self.page.locator("#source option").all_text_contents()
        self.expect(offered == ["Detect language", languages[0]["name"]], f"the source languages {offered}")
        self.expect(name("target") == names[languages[0]["targets"][0]], "the target language")
        self.expect(self.page.locator("select:visible").count() == 1, "a choice of one language")
        self.expect(not self.page.locator("#swap").is_visible(), "a swap with one direction")
        self.expect(self.page.get_by_role("button", name="Translate").is_disabled(), "a button without a text")
        self.picture("empty")

    def reach(self):
        """However long the text, the button is on the screen."""
        self.page.get_by_label("Translate while typing").uncheck()
        self.page.get_by_label("Text to translate").fill("A dog.\n" * 100)
        box = self.page.get_by_role("button", name="Translate").bounding_box()
        height = self.page.viewport_size["height"]
        self.expect(box["y"] >= 0 and box["y"] + box["height"] <= height, f"the button is at {box} of {height} pixels")
        self.page.get_by_role("button", name="Clear").click()
        self.page.get_by_label("Translate while typing").check()

    def open_details(self):
        """Alternatives and the score are asked for where they are looked at, and only there."""
        asked = []
        self.page.on("request", lambda request: request.url.endswith("/translate") and asked.append(request.post_data_json))
        box = self.page.get_by_label("Text to translate")
        box.fill("A dog is playing in the snow.")
        self.wait_until(lambda: len(asked) == 1)
        limit = get(self.options.server + "/frontend/settings")["alternativesLimit"]
        if limit:
            self.page.get_by_text("Alternatives", exact=True).click()
            self.wait_until(lambda: self.page.locator("#alternatives li").count() > 0)
        self.page.get_by_text("Details", exact=True).click()
        score = self.page.locator("#score")
        self.wait_until(lambda: score.inner_text() != "–")
        self.expect("alternatives" not in asked[0] and "score" not in asked[0], f"the first request was {asked[0]}")
        self.expect(asked[-1].get("score") is True, f"the last request was {asked[-1]}")
        answer = translate(self.options.server, asked[-1]["q"], {"alternatives": limit, "score": True})
        shown = self.page.locator("#alternatives li").all_text_contents()
        self.expect(shown == answer["alternatives"], f"alternatives {shown}, not {answer['alternatives']}")
        self.expect(score.inner_text().replace("−", "-") == f"{answer['score']:.2f}", f"the score {score.inner_text()}")
        languages = get(self.options.server + "/languages")[0]
        pair = {"source": languages["code"], "target": languages["targets"][0]}
        models = get(self.options.server + "/frontend/settings")["models"]
        names = [model["name"] for model in models if pair in model["directions"]]
        self.expect([self.page.locator("#model").inner_text()] == names, "the model's name")
        self.picture("details")
        if limit:
            self.page.get_by_text("Alternatives", exact=True).click()
        self.page.get_by_text("Details", exact=True).click()

    def change_theme(self):
        """The button goes through the themes, and the browser remembers the chosen one."""
        def shown():
            return self.page.evaluate("document.documentElement.dataset.theme")

        button = self.page.locator("#theme")
        for words, theme in (("Theme: light", "light"), ("Theme: dark", "dark"), ("Theme: system", self.scheme)):
            button.press("Enter")
            self.expect((button.inner_text(), shown()) == (words, theme), f"{words}: {button.inner_text()}, {shown()}")
        button.click()
        self.page.reload()
        self.expect(self.wait_until(lambda: shown() == "light"), "the theme is forgotten")
        for _ in range(2):
            button.click()
        self.wait_until(lambda: self.page.locator("#target-name").inner_text() != "")

    def detect(self):
        """The language is detected where that is chosen, and a hint tells of another one than chosen."""
        box, hint = self.page.get_by_label("Text to translate"), self.page.locator("#hint")
        source = self.page.locator("#source")
        source.select_option("auto")
        answer = {"translatedText": "x", "detectedLanguage": {"confidence": 90, "language": "en"}}
        self.page.route("**/translate", lambda route: route.fulfill(json=answer))
        box.fill("The dogs are playing in the snow.")
        self.await_translation("x")
        label = source.locator("option").first
        self.expect(self.wait_until(lambda: label.inner_text() == "Detect language (English)"), f"detected {label.inner_text()}")
        self.page.unroute("**/translate")
        source.select_option("en")
        self.expect(label.inner_text() == "Detect language", "what was detected stays")
        self.page.route("**/detect", lambda route: route.fulfill(json=[{"confidence": 95, "language": "de"}]))
        box.fill("Die Hunde spielen im Schnee und im Garten.")
        self.expect(self.wait_until(hint.is_visible), "no hint of another language")
        self.expect("German" in hint.inner_text() and "English" in hint.inner_text(), f"the hint {hint.inner_text()}")
        self.expect(not self.page.locator("#take-hint").is_visible(), "a way from a language that no model has")
        self.picture("hint")
        self.page.unroute("**/detect")
        box.fill("The dogs are playing in the snow and in the garden.")
        self.expect(self.wait_until(lambda: not hint.is_visible()), "the hint stays")

    def translate_files(self):
        """Files that are chosen and dropped come back, and those that cannot be translated say why."""
        line, lines = "A dog is playing.\n", self.page.locator("#file-list li")
        files = [{"name": name, "mimeType": "text/plain", "buffer": text.encode()}
                 for name, text in (("a.txt", line), ("b.pdf", "x"), ("c.csv", f"id,text\n1,{line}"))]
        self.expect_errors = True
        self.page.locator("#chosen").set_input_files(files)
        self.expect(self.wait_until(lambda: self.page.locator("#table").is_visible()), "no question for columns")
        self.page.get_by_label("Columns to translate").fill("text")
        self.page.get_by_label("Columns to translate").press("Enter")
        self.page.evaluate("""(text) => {
            const data = new DataTransfer();
            data.items.add(new File([text], "d.txt"));
            const drop = new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true});
            document.body.dispatchEvent(drop);
            return drop.defaultPrevented;
        }""", line)
        self.expect(self.wait_until(lambda: self.page.locator("#file-list a").count() == 3), f"files: {lines.all_text_contents()}")
        self.expect("no format has this suffix" in lines.nth(1).inner_text(), f"b.pdf: {lines.nth(1).inner_text()}")
        with self.page.expect_download() as download:
            self.page.locator("#file-list a").first.click()
        self.expect(download.value.suggested_filename.startswith("a_"), download.value.suggested_filename)
        translated = download.value.path().read_text(encoding="utf-8")
        self.expect(translated == translate(self.options.server, line), f"the file has {translated!r}")
        self.expect_errors = False
        self.picture("files")

    def swap(self):
        """With both directions: a swap, which takes the translation as the text."""
        page = self.page.context.browser.new_page(viewport=self.page.viewport_size, color_scheme=self.scheme)
        languages = [{"code": "en", "name": "English", "targets": ["fr", "de"]}, {"code": "fr", "name": "French", "targets": ["en"]},
                     {"code": "de", "name": "German", "targets": []}]
        asked = []

        def answer(route):
            asked.append(route.request.post_data_json)
            route.fulfill(json={"translatedText": "[" + asked[-1]["q"] + "]"})

        page.route("**/languages", lambda route: route.fulfill(json=languages))
        page.route("**/translate", answer)
        page.goto(self.options.server + "/")
        page.get_by_label("Text to translate").fill("one")
        translation = page.get_by_label("Translation", exact=True)
        self.expect(self.wait_until(lambda: translation.input_value() == "[one]"), "no translation before the swap")
        page.get_by_role("button", name="Swap languages").click()
        self.expect(self.wait_until(lambda: translation.input_value() == "[[one]]"), "no translation after the swap")
        self.expect((asked[-1]["source"], asked[-1]["target"], asked[-1]["q"]) == ("fr", "en", "[one]"), f"asked {asked[-1]}")
        for failure in sideways(page, "swap") + accessibility(page, self.options, "swap"):
            self.fail(failure)
        if self.options.screenshots:
            page.screenshot(path=self.options.screenshots / f"translate-{self.name}-swap.png", full_page=True)
        page.get_by_label("From", exact=True).select_option("en")
        page.get_by_label("To", exact=True).select_option("de")
        self.expect(not page.get_by_role("button", name="Swap languages").is_visible(), "a swap to where there is no way back")
        page.close()

    def docs(self):
        """The description of the interface, as a page."""
        self.page.goto(self.options.server + "/docs")
        spec = get(self.options.server + "/spec")
        self.wait_until(lambda: self.page.locator("section").count() > 0)
        shown = self.page.locator("h2").all_text_contents()
        self.expect(shown == [f"{method.upper()} {path}" for path, methods in spec["paths"].items() for method in methods],
                    f"the page describes {shown}")
        self.picture("docs")

    def type(self, words):
        """Typing translates by itself, and after a pause alone."""
        box, before = self.page.get_by_label("Text to translate"), self.asked
        self.expect(box.evaluate("box => box === document.activeElement"), "the text is not where typing goes")
        self.page.keyboard.type("A man", delay=10)
        self.expect(self.asked == before, "a request in the middle of a word")
        box.fill(TEXT)
        self.await_translation(words)
        self.expect(self.asked == before + 1, f"{self.asked - before} requests for one text")
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
            self.expect(self.wait_until(lambda text=shown: error.is_visible() and text in error.inner_text()),
                        f"the error {shown!r} is not shown")
            self.page.unroute("**/translate")
        self.picture("error")
        box.press("Control+Enter")
        self.expect(self.wait_until(lambda: not error.is_visible()), "the error stays")
        self.await_translation(words)
        self.page.wait_for_timeout(100)
        self.expect_errors = False

    def overfill(self):
        limit = 5000  # filling in a text of a million characters takes Chromium minutes
        settings = {**get(self.options.server + "/frontend/settings"), "charLimit": limit}
        self.page.route("**/frontend/settings", lambda route: route.fulfill(json=settings))
        self.page.reload()
        self.wait_until(lambda: "5,000" in self.page.locator("#count").inner_text())
        self.page.get_by_label("Text to translate").fill("A dog.")
        self.wait_until(lambda: self.translation() != "")
        before = self.asked
        self.page.get_by_label("Text to translate").fill("x" * (limit + 1))
        self.page.get_by_label("Text to translate").press("Control+Enter")
        self.expect(self.page.get_by_role("button", name="Translate").is_disabled(), "a text that is too long")
        self.page.wait_for_timeout(700)
        self.expect(self.asked == before, "a request for a text that is too long")
        self.expect("old" in (self.page.get_by_label("Translation", exact=True).get_attribute("class") or ""),
                    "a translation of another text looks like that of this one")
        self.expect("1 character too long" in self.page.get_by_role("alert").inner_text(), "no words about the length")
        self.picture("too-long")
        self.page.get_by_role("button", name="Clear").click()
        self.await_translation("")
        self.expect(not self.page.get_by_role("alert").is_visible(), "the text is still too long")

    def run(self):
        words = translate(self.options.server, TEXT)
        self.start()
        self.type(words)
        self.reach()
        self.open_details()
        self.page.get_by_label("Text to translate").fill(TEXT)
        self.await_translation(words)
        self.press()
        self.overtake(words)
        self.break_down(words)
        self.overfill()
        self.detect()
        self.translate_files()
        self.change_theme()
        self.swap()
        self.docs()
        self.page.close()
        return self.failures


def main():
    options = arguments()
    options.server = options.server.rstrip("/")
    check_as(SIZES, options, options.server, lambda browser, *where: Walk(browser, options, *where).run())


if __name__ == "__main__":
    main()
