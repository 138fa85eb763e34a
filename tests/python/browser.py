"""Headless Chromium for the checks of pages: needs the Python package playwright and a Chromium, the one of --chromium,
one in the PATH, or playwright's own. Without them a check ends as skipped. With the package axe-playwright-python, or
with --axe, pages are also checked for accessibility by axe-core. The packages are those of environment.py, if they are
there, else those of the Python that runs the check."""

import argparse
import functools
import importlib.util
import os
import pathlib
import shutil
import sys

import environment

SCHEMES = ("light", "dark")
# The widths that all pages are checked at.
SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 900}}


def skip(reason):
    environment.skip(f"the page was not checked: {reason}")


def argument_parser(description):
    """A parser with the options that all checks have; their own come besides."""
    if environment.find_python():
        environment.enter("the page was not checked")
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--screenshots", type=pathlib.Path, metavar="FOLDER", help="where to save PNG files")
    parser.add_argument("--chromium", metavar="PROGRAM", help="the browser to use")
    parser.add_argument("--axe", type=pathlib.Path, metavar="FILE.js", default=find_axe(),
                        help="axe-core, which checks accessibility (default: that of axe-playwright-python)")
    return parser


def find_axe():
    """The axe.min.js of the Python package axe-playwright-python, or None."""
    package = importlib.util.find_spec("axe_playwright_python")
    file = package and pathlib.Path(package.origin).with_name("axe.min.js")
    return file if file and file.is_file() else None


@functools.cache
def read_axe(file):
    return file.read_text(encoding="utf-8")


def accessibility(page, options, what="the page"):
    """The violations that axe-core finds in the present state of `page`, each with the first elements concerned.
    None without axe-core: check_as() says at the end that accessibility was not checked."""
    if options.axe is None:
        return []
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(read_axe(options.axe))
    # Colours that are still fading would be measured at half the way.
    page.evaluate("""Promise.allSettled(document.getAnimations()
        .filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished))""")
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"axe-core, {what}: {violation['id']}: {violation['help']}: {node['html'][:200]}: {node['failureSummary']}"
            for violation in result["violations"] for node in violation["nodes"][:3]]


def sideways(page, what="the page"):
    """Whether the page as a whole scrolls sideways."""
    width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return [f"{what}: {width} pixels wide where there are {room}"] if width > room else []


# For each box that may scroll: its name, how far it can still scroll to each side, and the marks that are seen.
MARKS = """all => all.map((frame) => {
  const box = frame.firstElementChild;
  return {
    name: box.id || box.className,
    rest: {up: box.scrollTop, left: box.scrollLeft, down: box.scrollHeight - box.clientHeight - box.scrollTop,
           right: box.scrollWidth - box.clientWidth - box.scrollLeft},
    seen: [...frame.querySelectorAll(".cue")].filter((cue) => getComputedStyle(cue).display !== "none")
      .map((cue) => cue.classList[1]),
  };
})"""


def marks(page, what):
    """Boxes whose marks do not say where there is more, as they are and at their ends."""
    failures = []
    for end in (None, 1e6, 0):
        if end is not None:
            page.locator(".scroller > :first-child").evaluate_all(f"all => all.forEach((box) => box.scrollTo({end}, {end}))")
        page.wait_for_timeout(50)  # for the event of scrolling
        for box in page.locator(".scroller").evaluate_all(MARKS):
            wanted = {side for side, rest in box["rest"].items() if rest > 6}
            if set(box["seen"]) != wanted:
                failures.append(f"{what}: {box['name']} goes on {sorted(wanted)}, its marks say {sorted(box['seen'])}")
    return failures


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
        skip("the Python package playwright is not installed; scripts/setup --python installs it")
    in_path = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    found = options.chromium or next(in_path, None)
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    if options.axe is None:
        lacking = "the Python package axe-playwright-python is not installed: accessibility is not checked"
        if environment.IS_ALL_REQUIRED:
            skip(lacking)
        print(lacking, file=sys.stderr)
    elif not options.axe.is_file():
        sys.exit(f"--axe {options.axe}: there is no such file")
    with sync_playwright() as playwright:
        try:
            # Chromium's sandbox does not start for root, as in containers.
            browser = playwright.chromium.launch(executable_path=found, chromium_sandbox=os.geteuid() != 0)
        except Error as error:
            skip(f"Chromium does not start: {error}")
        failures = [each for size in sizes for scheme in SCHEMES for each in check(browser, size, scheme)]
        browser.close()
    axe = "" if options.axe is None else ", with axe-core"
    print("\n".join(failures) or f"{what}: checked as {' and '.join(sizes)}, {' and '.join(SCHEMES)}{axe}")
    sys.exit(1 if failures else 0)
