"""Headless Chromium for the checks of pages: needs the Python package playwright and a Chromium, the one of --chromium,
one in the PATH, or playwright's own. Without them a check ends as skipped."""

import argparse
import os
import pathlib
import shutil
import sys

SKIPPED = 77
SCHEMES = ("light", "dark")


def skip(reason):
    print(f"SKIPPED, the page was not checked: {reason}", file=sys.stderr)
    sys.exit(SKIPPED)


def argument_parser(description):
    """A parser with the options that all checks have; their own come besides."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screenshots", type=pathlib.Path, metavar="FOLDER", help="where to save PNG files")
    parser.add_argument("--chromium", metavar="PROGRAM", help="the browser to use")
    return parser


def watched_page(browser, address, size, scheme):
    """The page at `address`, opened, and a list that fills with what goes wrong on it: messages on the console, errors,
    and requests for anything but itself."""
    page = browser.new_page(viewport=size, color_scheme=scheme, device_scale_factor=2)
    failures = []
    page.on("console", lambda message: failures.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: failures.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith((address, "data:"))
            or failures.append(f"request: {request.url}"))
    page.goto(address)
    return page, failures


def check_as(sizes, options, what, check):
    """Ends the program with what check(browser, size, scheme) finds wrong in all sizes, light and dark."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        skip("the Python package playwright is not installed")
    in_path = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    found = options.chromium or next(in_path, None)
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        try:
            # Chromium's sandbox does not start for root, as in containers.
            browser = playwright.chromium.launch(executable_path=found, chromium_sandbox=os.geteuid() != 0)
        except Error as error:
            skip(f"Chromium does not start: {error}")
        failures = [each for size in sizes for scheme in SCHEMES for each in check(browser, size, scheme)]
        browser.close()
    print("\n".join(failures) or f"{what}: checked as {' and '.join(sizes)}, {' and '.join(SCHEMES)}")
    sys.exit(1 if failures else 0)
