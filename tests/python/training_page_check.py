#!/usr/bin/env python3
"""Uses the page of a running `translate-serve --training` in headless Chromium, as a phone and as a desktop, light and dark.

Compares what it shows with what the server answers, moves the pointer over a curve, switches to logarithmic losses, lets the
server fail and come back, and gives the page runs that are odd: none there, one report alone, texts that look like HTML,
more runs than there are colours. Fails when a page logs an error, asks for anything but the server, scrolls sideways, or
when axe-core finds it hard to use for some. With --screenshots, saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import json
import time
import urllib.request

from browser import SIZES, accessibility, argument_parser, check_as, sideways, watched_page

CURVES = ("training_loss", "validation_loss", "bleu", "chrf", "learning_rate", "tokens_per_second")
MARKUP = "</script><b>bold</b>"


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("server", metavar="URL", help="of the server, such as http://127.0.0.1:5000")
    return parser.parse_args()


def answer_of(server):
    with urllib.request.urlopen(server + "/training", timeout=60) as response:
        return json.load(response)


def run_of(name, **fields):
    """A run as the server tells it, without reports where no fields are given."""
    curves = {curve: [] for curve in CURVES} | fields.pop("curves", {})
    return {"name": name, "problem": None, "best": None, "samples": {"step": None, "list": []}, "curves": curves} | fields


ODD = {
    "runs": [
        run_of("later", problem="There is no such folder yet."),
        run_of("one report", step=1, loss=9.5, curves={"training_loss": [[1, 9.5]], "learning_rate": [[1, 0]]}),
        run_of(MARKUP, step=10**9, max_steps=10**9, best={"step": 5}, seconds_left=1e7,
               samples={"step": 7, "list": [{"source": MARKUP, "reference": "שלום", "translation": ""}]},
               curves={"training_loss": [[1, 1e30], [10**9, 1e-30]], "bleu": [[0, 0], [5, 100]]}),
        *(run_of(f"run {number}", curves={"bleu": [[0, number], [5, 2 * number]]}) for number in range(9)),
    ],
    "differences": [{"key": "data.train.source", "values": ["/a/very/long/path/" * 8, None, MARKUP, *range(8), [1, {"a": 2}]]}],
}  # fmt: skip


class Visit:
    """One visit to the page, and what was wrong with it."""

    def __init__(self, browser, options, size, scheme):
        self.options, self.name = options, f"{size}-{scheme}"
        self.page, self.failures = watched_page(browser, options.server + "/", SIZES[size], scheme)

    def expect(self, holds, what):
        if not holds:
            self.failures.append(what)

    def wait_until(self, holds):
        end = time.monotonic() + 30
        while not holds() and time.monotonic() < end:
            self.page.wait_for_timeout(20)
        return holds()

    def picture(self, what):
        self.failures.extend(sideways(self.page, what) + accessibility(self.page, self.options, what))
        if self.options.screenshots:
            self.page.screenshot(path=self.options.screenshots / f"training-{self.name}-{what}.png", full_page=True)

    def texts(self, selector):
        return self.page.locator(selector).all_text_contents()

    def look(self):
        """The page shows what the server tells."""
        answer = answer_of(self.options.server)
        names = [run["name"] for run in answer["runs"]]
        self.wait_until(lambda: len(self.texts("#runs h3")) == len(names))
        self.expect(self.texts("#runs h3") == names, f"the runs {self.texts('#runs h3')}, not {names}")
        charts = [figure for figure in self.page.locator("#charts figure").all() if figure.is_visible()]
        wanted = sum(any(run["curves"][curve] for run in answer["runs"]) for curve in CURVES)
        self.expect(len(charts) == wanted, f"{len(charts)} charts, not {wanted}")
        lines = self.page.locator("#charts figure").first.locator("polyline").count()
        self.expect(lines == len(names), f"{lines} curves of {len(names)} runs")
        keys = [difference["key"] for difference in answer["differences"]]
        self.expect(self.texts("#differences th") == keys, f"the differences {self.texts('#differences th')}, not {keys}")
        samples = {(one["source"], one["reference"]) for run in answer["runs"] for one in run["samples"]["list"]}
        self.expect(len(self.texts("#samples article")) == len(samples), "the number of samples")
        self.picture("runs")

    def point(self):
        """The pointer over a curve tells its values there."""
        figure = self.page.locator("#charts figure").first
        before = figure.locator(".readout").inner_text()
        box = figure.locator("svg[role=img]").bounding_box()
        figure.locator("svg[role=img]").hover(position={"x": 60, "y": box["height"] / 2})
        self.expect(self.wait_until(lambda: figure.locator(".readout").inner_text() != before), "no values at the pointer")
        self.page.mouse.move(1, 1)
        self.expect(self.wait_until(lambda: figure.locator(".readout").inner_text() == before), "values of a pointer that left")

    def change_scale(self):
        def points():
            lines = self.page.locator("#charts figure").first.locator("polyline").all()
            return [line.get_attribute("points") for line in lines]

        before = points()
        self.page.get_by_label("Logarithmic losses").check()
        self.expect(points() != before, "the logarithmic curves are the same")
        self.picture("logarithmic")
        self.page.get_by_label("Logarithmic losses").uncheck()

    def break_down(self):
        """Values stay where the server does not answer, and an error says so."""
        error, known = self.page.get_by_role("alert"), len(self.failures)
        self.page.route("**/training", lambda route: route.abort())
        self.expect(self.wait_until(lambda: error.is_visible() and "no longer new" in error.inner_text()), "no error")
        self.expect(self.page.locator("#runs article").count() > 0, "the runs are gone")
        self.picture("error")
        self.page.unroute("**/training")
        self.expect(self.wait_until(lambda: not error.is_visible()), "the error stays")
        # Chromium itself logs requests that fail.
        self.failures[known:] = [one for one in self.failures[known:] if "ERR_FAILED" not in one]

    def show_odd_runs(self):
        self.page.route("**/training", lambda route: route.fulfill(json=ODD))
        self.wait_until(lambda: len(self.texts("#runs h3")) == len(ODD["runs"]))
        self.expect(MARKUP in self.texts("#runs h3"), "markup in a name is not text")
        self.expect(self.page.locator("b").count() == 0, "markup has become an element")
        self.expect(self.texts(".problem") == ["There is no such folder yet."], f"the problems {self.texts('.problem')}")
        self.expect("(nothing)" in self.texts("#samples dd"), "an empty translation")
        self.picture("odd")
        self.page.get_by_label("Logarithmic losses").check()
        self.picture("odd-logarithmic")
        self.page.unroute("**/training")

    def change_theme(self):
        button = self.page.get_by_role("button", name="Theme")
        for theme in ("light", "dark", "system"):
            button.click()
            self.expect(button.inner_text() == f"Theme: {theme}", f"the button says {button.inner_text()}, not {theme}")

    def run(self):
        self.look()
        self.point()
        self.change_scale()
        self.change_theme()
        self.break_down()
        self.show_odd_runs()
        self.page.close()
        return [f"{self.name}: {failure}" for failure in self.failures]


def main():
    options = arguments()
    options.server = options.server.rstrip("/")
    check_as(SIZES, options, options.server, lambda browser, *where: Visit(browser, options, *where).run())


if __name__ == "__main__":
    main()
