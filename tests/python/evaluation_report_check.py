#!/usr/bin/env python3
"""Opens a page of `translate-eval --html` in headless Chromium, as a phone and as a desktop, light and dark.

Fails when the page logs an error, asks for anything but itself, scrolls sideways as a whole, holds an element that its
texts brought, shows other scores or sentences than its data, sorts or finds sentences wrongly, or when axe-core finds
it hard to use for some. With --screenshots, saves pictures to be looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import json
import pathlib

from browser import SIZES, accessibility, argument_parser, check_as, sideways, watched_page

OURS = {"HTML", "HEAD", "META", "LINK", "TITLE", "STYLE", "BODY", "MAIN", "HEADER", "NAV", "UL", "LI", "A", "H1", "H2", "H3", "P",
        "B", "CODE", "DIV", "SECTION", "NOSCRIPT", "TABLE", "THEAD", "TBODY", "TR", "TH", "TD", "BUTTON", "LABEL", "INPUT", "SPAN",
        "DL", "DT", "DD", "DEL", "INS", "WBR", "SCRIPT", "svg", "line", "rect", "text", "title"}
AT_ONCE = 50  # sentences that the table shows before more are asked for


def arguments():
    parser = argument_parser(__doc__)
    parser.add_argument("page", type=pathlib.Path, metavar="PAGE.html", help="the page to check")
    return parser.parse_args()


def compare(what, shown, wanted):
    return [] if shown == wanted else [f"{what}: {shown!r}, not {wanted!r}"]


def texts(page, selector):
    return page.locator(selector).evaluate_all("all => all.map((one) => one.textContent)")


def ratio(lengths):
    return f"{lengths['hypothesis'] / lengths['reference']:.2f}" if lengths["reference"] else "–"


def figures(page, data):
    """What the page shows in other ways than its data has it."""
    failures = compare("scores", texts(page, ".score b"),
                       [f"{metric['score']:.{metric['digits']}f}" for metric in data["metrics"]] + [ratio(data["lengths"])])
    failures += compare("signatures", texts(page, ".score code"), [metric["signature"] for metric in data["metrics"]])
    failures += compare("length ratios by length", texts(page, "#lengths tbody td:last-child"),
                        [ratio(bucket["lengths"]) for bucket in data["buckets"]])
    failures += compare("systems compared", page.locator("#against tbody tr").count(),
                        len(data["against"]["systems"]) + 1 if data["against"] else 0)
    failures += compare("tables of comparisons", page.locator("#against table").count(), 1 if data["against"] else 0)
    failures += compare("histograms", page.locator(".charts svg").count(), len(data["metrics"]))
    for chart, counts in enumerate(data["histograms"]):
        axis = page.locator(".charts svg").nth(chart).locator("text[text-anchor=end]").all_text_contents()
        axis = [int(each.replace(",", "")) for each in axis[:-1]]  # the last one is the 100 of the other axis
        if axis[0] != 0 or axis[-1] < max(counts) or axis != sorted(axis):
            failures.append(f"histogram {chart + 1}: an axis of {axis} for up to {max(counts)} sentences")
    for link in page.locator("#contents a").all():
        target = page.locator(link.get_attribute("href"))
        failures += compare("a line of the contents", link.text_content(), target.locator("h2").text_content())
    return failures + compare("contents", page.locator("#contents a").count(), page.locator("section:visible h2").count())


def shown_lines(page):
    """The numbers of the lines that the table shows."""
    return [int(each.replace(",", "")) for each in texts(page, "#sentences tbody td:first-child")]


def ordered(rows, value, descending):
    return [row["line"] for row in sorted(rows, key=lambda row: ((-value(row) if descending else value(row)), row["line"]))]


def sentences(page, data):
    """What is wrong with the order of the table, with what is found in it, and with its texts."""
    rows, first, failures = data["rows"], data["ranked_by"], []
    worst = ordered(rows, lambda row: row["scores"][first], not data["metrics"][first]["higher_is_better"])
    failures += compare("the worst sentences", shown_lines(page), worst[:AT_ONCE])
    while page.is_visible("#more"):
        page.click("#more")
    failures += compare("all sentences", shown_lines(page), worst)
    for column, name in enumerate(["Line"] + [metric["label"] for metric in data["metrics"]]):
        value = (lambda row: row["line"]) if column == 0 else (lambda row, at=column - 1: row["scores"][at])
        for _ in range(2):
            page.click(f"#sentences thead th:nth-child({column + 1}) button")
            order = page.locator("#sentences thead th[aria-sort]").get_attribute("aria-sort")
            failures += compare(f"by {name}, {order}", shown_lines(page), ordered(rows, value, order == "descending")[:AT_ONCE])
    word = max(rows[-1]["hypothesis"].split() or [""], key=len)
    page.fill("#search", word.upper())
    found = {row["line"] for row in rows for text in [row["source"] or "", row["hypothesis"], *row["references"]]
             if word.lower() in text.lower()}
    failures += compare(f"sentences with {word!r}", page.inner_text("#count").split(",")[0].split(" ")[0], str(len(found)))
    if not set(shown_lines(page)) <= found:
        failures.append(f"{word!r} finds sentences without it")
    page.fill("#search", "no sentence has this")
    failures += compare("sentences without what is searched for", shown_lines(page), [])
    page.fill("#search", "")
    page.click("#sentences thead th:nth-child(1) button")
    translations = page.locator("#sentences tbody dl").evaluate_all(
        "all => all.map((one) => [...one.querySelectorAll('dt')].find((dt) => dt.textContent === 'Translation')"
        ".nextSibling.textContent)")
    by_line = {row["line"]: row["hypothesis"] or "(empty)" for row in rows}
    return failures + compare("translations", translations, [by_line[line] for line in shown_lines(page)])


def check(browser, options, size, scheme):
    """What is wrong with the page at one size, in one colour scheme."""
    page, failures = watched_page(browser, options.page.resolve().as_uri(), SIZES[size], scheme)
    if options.screenshots:
        page.screenshot(path=options.screenshots / f"evaluation-{size}-{scheme}.png", full_page=True)
    data = json.loads(page.locator("#data").evaluate("it => it.textContent"))
    failures += sideways(page) + accessibility(page, options)
    failures += figures(page, data) + sentences(page, data)
    strange = set(page.evaluate("[...document.querySelectorAll('*')].map((one) => one.tagName)")) - OURS
    failures += compare("elements that are not the page's", strange, set())
    failures += sideways(page, "at the end") + accessibility(page, options, "at the end")
    page.close()
    return [f"{size}-{scheme}: {failure}" for failure in failures]


def main():
    options = arguments()
    check_as(SIZES, options, options.page, lambda browser, *where: check(browser, options, *where))


if __name__ == "__main__":
    main()
