#!/usr/bin/env python3
"""Opens a page of `translate-explain --attention` in headless Chromium, as a phone and as a desktop, light and dark.

Fails when the page logs an error, asks for anything but itself, scrolls sideways as a whole, shows neither a map nor a
message, holds more in a box than is seen without a mark that says so, or when axe-core finds it hard to use for some;
where it has a map, the arrow keys must move in it. With --screenshots, saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import pathlib
import sys

from browser import SIZES, accessibility, argument_parser, check_as, marks, sideways, watched_page


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("page", type=pathlib.Path, metavar="PAGE.html", help="the page to check")
    return parser.parse_args()


def walk(page, options):
    """What is wrong with the page after all of its sentences and kinds of attention were chosen."""
    failures = []
    for sentence in range(page.locator("#sentence option").count()):
        page.select_option("#sentence", str(sentence))
        for kind in page.locator("#kinds input:enabled").evaluate_all("all => all.map((one) => one.value)"):
            page.check(f"#kinds input[value={kind}]", force=True)
            failures += sideways(page, f"sentence {sentence + 1}, {kind}")
            failures += accessibility(page, options, f"sentence {sentence + 1}, {kind}")
            failures += marks(page, f"sentence {sentence + 1}, {kind}")
    if page.is_visible("#map canvas"):
        cells = page.locator("#queries button").count() * page.locator("#keys > span").count()
        before = page.inner_text("#readout")
        page.focus("#map .map-box")
        page.keyboard.press("Home")
        page.keyboard.press("PageUp")
        start = page.inner_text("#readout")
        page.keyboard.press("End")
        page.keyboard.press("PageDown")
        if cells > 1 and before == start == page.inner_text("#readout"):
            failures.append("the arrow keys do not move in the map")
    elif not page.is_visible("#message"):
        failures.append("there is neither a map nor a message")
    return failures


def check(browser, options, size, scheme):
    """What is wrong with the page at one size, in one colour scheme."""
    page, failures = watched_page(browser, options.page.resolve().as_uri(), SIZES[size], scheme)
    page.wait_for_timeout(200)  # what a page asks for late
    if options.screenshots:
        page.screenshot(path=options.screenshots / f"{options.page.stem}-{size}-{scheme}.png", full_page=True)
        sentences = page.locator("#sentence option").count()
        if sentences > 1:
            page.select_option("#sentence", str(sentences - 1))
            page.wait_for_timeout(50)
            page.screenshot(path=options.screenshots / f"{options.page.stem}-{size}-{scheme}-last.png", full_page=True)
    failures += walk(page, options)
    page.close()
    return [f"{size}, {scheme}: {failure}" for failure in failures]


def main():
    options = arguments()
    if not options.page.is_file():
        sys.exit(f"{options.page}: there is no such file")
    check_as(SIZES, options, options.page, lambda browser, size, scheme: check(browser, options, size, scheme))


if __name__ == "__main__":
    main()
