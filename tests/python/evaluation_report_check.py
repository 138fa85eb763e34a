#!/usr/bin/env python3
"""Opens a page of `translate-eval --html` in headless Chromium, as a phone and as a desktop, light and dark.

Fails when the page logs an error, asks for anything but itself, scrolls sideways as a whole, holds an element that its
texts brought, or shows other scores or sentences than its data. With --screenshots, saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import json
import pathlib

from browser import SIZES, accessibility, argument_parser, check_as, sideways, watched_page

OURS = {"HTML", "HEAD", "META", "LINK", "TITLE", "STYLE", "BODY", "MAIN", "HEADER", "H1", "H2", "H3", "P", "B", "CODE", "DIV",
        "SECTION", "NOSCRIPT", "TABLE", "TR", "TH", "TD", "I", "SPAN", "DL", "DT", "DD", "DEL", "INS", "WBR", "SCRIPT"}


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("page", type=pathlib.Path, metavar="PAGE.html", help="the page to check")
    return parser.parse_args()


def compare(what, shown, wanted):
    return [] if shown == wanted else [f"{what}: {shown!r}, not {wanted!r}"]


def contents(page):
    """What the page shows that its data does not say."""
    data = json.loads(page.locator("#data").evaluate("it => it.textContent"))
    texts = lambda selector: page.locator(selector).evaluate_all("all => all.map((one) => one.textContent)")
    failures = compare("scores", texts(".score b"), [f"{metric['score']:.2f}" for metric in data["metrics"]])
    failures += compare("signatures", texts(".score code"), [metric["signature"] for metric in data["metrics"]])
    failures += compare("groups of lengths", page.locator("#buckets tr").count(), len(data["buckets"]) + 1)
    failures += compare("histograms", page.locator(".bars").count(), len(data["metrics"]))
    for place in ("worst", "samples"):
        shown = page.locator(f"#{place} .sentence").evaluate_all(
            "all => all.map((one) => [...one.querySelectorAll('dt')].filter((dt) => dt.textContent === 'Translation')"
            ".map((dt) => dt.nextSibling.textContent)[0])")
        failures += compare(place, shown, [sentence["hypothesis"] for sentence in data[place]])
    failures += compare("other systems", page.is_visible("#against"), data["against"] is not None)
    strange = set(page.evaluate("[...document.querySelectorAll('*')].map((one) => one.tagName)")) - OURS
    return failures + compare("elements that are not the page's", strange, set())


def check(browser, options, size, scheme):
    """What is wrong with the page at one size, in one colour scheme."""
    page, failures = watched_page(browser, options.page.resolve().as_uri(), SIZES[size], scheme)
    failures += contents(page)
    failures += sideways(page) + accessibility(page, options)
    if options.screenshots:
        page.screenshot(path=options.screenshots / f"evaluation-{size}-{scheme}.png", full_page=True)
    page.close()
    return [f"{size}-{scheme}: {failure}" for failure in failures]


def main():
    options = arguments()
    check_as(SIZES, options, options.page, lambda browser, *where: check(browser, options, *where))


if __name__ == "__main__":
    main()
