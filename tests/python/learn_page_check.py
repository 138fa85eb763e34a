#!/usr/bin/env python3
"""Opens a page of `translate-explain --learn` in headless Chromium, as a phone and as a desktop, light and dark, and uses
it: types a sentence, goes through its steps, heads and stages, breaks the causal mask, drops the positions, changes
both temperatures, hides a subword, and resets all.

Fails when the page does not show the changes that each of these must make, logs an error, asks for anything but itself,
scrolls sideways as a whole, or when axe-core finds it hard to use for some. With --screenshots, saves pictures to be
looked at.

Needs the Python package playwright and a Chromium: the one of --chromium, one in the PATH, or playwright's own.
Exit codes: 0 all is well, 1 something is not, 77 playwright or Chromium is missing and nothing was checked.
"""

import pathlib
import sys

from browser import SIZES, accessibility, argument_parser, check_as, marks, sideways, watched_page

SENTENCE = "The little girl reads a long book."
# As these the page is used in all ways; as the others it is looked at: its behaviour depends on neither.
WALKED = (("phone", "dark"), ("desktop", "light"))
TIMEOUT = 120_000  # milliseconds for a translation, on a busy machine


class LearnPage:
    """The page as a user sees it. `failures` collects what is wrong."""

    def __init__(self, page, options, failures):
        self.page = page
        self.options = options
        self.failures = failures

    def expect(self, holds, failure):
        if not holds:
            self.failures.append(failure)

    def settle(self):
        """Waits until the page has translated."""
        self.page.wait_for_timeout(400)  # it waits for the user to stop typing
        self.page.locator("#translation[aria-busy=false]").wait_for(timeout=TIMEOUT, state="attached")

    def examine(self, what):
        """What every state of the page must satisfy."""
        self.failures += sideways(self.page, what)
        self.failures += accessibility(self.page, self.options, what)
        self.failures += marks(self.page, what)

    def screenshot(self, name):
        if self.options.screenshots:
            self.page.screenshot(path=self.options.screenshots / f"{self.options.page.stem}-{name}.png", full_page=True)

    def translation(self):
        return self.page.inner_text("#translation")

    def numbers(self, stage):
        """The numbers of a stage's map, as the map reads them out, row by row; None where there is none."""
        self.page.select_option("#stage", stage)
        return self.page.evaluate("""() => {
          const {rows} = views.stage.numbers.spec;
          return rows.map((row) => Array.from(row, (value) => (Number.isFinite(value) ? value : null)));
        }""")

    def stages(self):
        return self.page.locator("#stage option").evaluate_all("all => all.map((one) => one.value)")

    def likeliest(self):
        """(subword, probability) of each row of the table of the chosen step."""
        rows = self.page.locator("#likeliest tr").all_inner_texts()
        return [(cells[0], float(cells[2])) for cells in (row.split("\t") for row in rows)]

    def slide(self, slider, key):
        self.page.focus(f"#{slider}-temperature")
        self.page.keyboard.press(key)
        self.settle()


def check_typing(learn):
    """Another sentence has other subwords and another translation; its steps can be walked by keyboard."""
    page = learn.page
    before = learn.translation(), page.inner_text("#source")
    page.fill("#text", SENTENCE)
    learn.settle()
    learn.expect(learn.translation() and learn.translation() != before[0], "a typed sentence is not translated")
    learn.expect(page.inner_text("#source") != before[1], "a typed sentence does not change the source subwords")
    steps = page.locator("#target button").count()
    learn.expect(f"of {steps}" in page.inner_text("#step-title"), "the step does not say how many there are")
    page.locator("#target button").first.focus()
    page.keyboard.press("ArrowRight")
    learn.expect(page.inner_text("#step-title") == f"Step 2 of {steps}", "the right arrow key does not go to step 2")
    names = [name for name, _ in learn.likeliest()]
    chosen = page.locator("#target button[aria-pressed=true]").inner_text()
    learn.expect(chosen.startswith(names[0]), f"step 2 generated {chosen}, but {names[0]} was likeliest")


def check_views(learn):
    """The kinds of attention, the maps' arrow keys, both sides of the residual stream and every stage."""
    page = learn.page
    for kind in ("encoder", "decoder", "cross"):
        page.check(f"#kinds input[value={kind}]", force=True)
        learn.examine(f"attention {kind}")
    for view in ("map", "stream-map", "stage-map"):
        readout = {"map": "#readout", "stream-map": "#stream-readout", "stage-map": "#stage-readout"}[view]
        page.focus(f"#{view} .map-box")
        page.keyboard.press("Home")
        page.keyboard.press("PageUp")
        start = page.inner_text(readout)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        learn.expect(page.inner_text(readout) != start, f"the arrow keys do not move in #{view}")
    for side in ("encoder", "decoder"):
        for what in ("added", "stream"):
            page.select_option("#stream-side", side)
            page.select_option("#stream-what", what)
            learn.expect(page.inner_text("#stream-readout"), f"residual stream, {side}, {what}: nothing is read out")
    for stage in learn.stages():
        page.select_option("#stage", stage)
        learn.expect(page.inner_text("#stage-about"), f"{stage}: no explanation")


def check_mask(learn):
    """Without the causal mask, target positions attend to later ones."""
    page = learn.page
    mask = learn.numbers("tgt_mask")
    learn.expect(mask == [[float(key <= query) for key in range(len(mask))] for query in range(len(mask))],
                 f"the causal mask is not a triangle: {mask}")
    weights = "decoder.layers.0.self_attention_block.weights"
    learn.expect(learn.numbers(weights)[0][1] == 0, "the first target position attends to the second")
    before = learn.translation()
    page.uncheck("#causal")
    learn.settle()
    learn.expect(page.is_visible("#unchanged") and page.inner_text("#unchanged") == before,
                 "the translation of the unchanged model is not shown beside the changed one's")
    mask = learn.numbers("tgt_mask")
    learn.expect(all(cell == 1 for row in mask for cell in row), "the broken causal mask still forbids something")
    if len(mask) > 1:
        learn.expect(learn.numbers(weights)[0][1] > 0, "without the mask, no later position is attended to")
    page.check("#kinds input[value=decoder]", force=True)
    learn.examine("without the causal mask")
    page.check("#causal")
    learn.settle()
    learn.expect(learn.translation() == before, "mending the causal mask does not bring the translation back")


def check_positions(learn):
    """Without positions, nothing is added to the embeddings, and the order of the subwords is lost."""
    page = learn.page
    if page.is_disabled("#positions"):
        return
    before = learn.numbers("src_pos.output")
    page.uncheck("#positions")
    learn.settle()
    learn.expect("src_pos.positions" not in learn.stages(), "without positions there still are positions")
    learn.expect(learn.numbers("src_pos.output") == learn.numbers("src_embed") != before,
                 "without positions the residual stream does not begin with the embedding alone")
    words = SENTENCE.rstrip(".").split()
    ends = []
    for text in (words, [words[0], *reversed(words[1:])]):  # the first word is capitalised
        page.fill("#text", " ".join(text))
        learn.settle()
        ends.append(sorted(learn.numbers("encoder.output")))
    same_words = len(ends[0]) == len(ends[1])
    learn.expect(same_words and all(abs(a - b) < 1e-3 for rows in zip(*ends) for a, b in zip(*rows)),
                 "without positions the order of the words changes the encoder's output")
    page.check("#positions")
    page.fill("#text", SENTENCE)
    learn.settle()


def check_temperatures(learn):
    """The attention's temperature changes the weights; that of the next subword the probabilities alone."""
    page = learn.page
    weights = "encoder.layers.0.self_attention_block.weights"
    largest = [max(max(row) for row in learn.numbers(weights))]
    for key in ("Home", "End"):
        learn.slide("attention", key)
        largest.append(max(max(row) for row in learn.numbers(weights)))
    learn.expect(largest[1] > largest[0] > largest[2],
                 f"the largest weight is {largest}: unchanged, at the lowest, at the highest temperature of attention")
    learn.examine("at a high temperature of attention")
    page.click("#reset")
    learn.settle()
    before, probability = learn.translation(), learn.likeliest()[0][1]
    learn.slide("output", "End")
    learn.expect(learn.translation() == before, "the temperature of the next subword changes a greedy translation")
    learn.expect(learn.likeliest()[0][1] < probability, "a high temperature leaves the likeliest subword as likely")
    learn.expect(page.inner_text("#output-value") == "8.00", "the value of the slider is not shown")
    page.click("#reset")
    learn.settle()


def check_hiding(learn):
    """A hidden source subword gets no attention."""
    page = learn.page
    weights = "decoder.layers.0.cross_attention_block.weights"
    learn.expect(all(row[1] > 0 for row in learn.numbers(weights)), "a source subword gets no attention at first")
    page.locator("#source button").nth(1).click()
    learn.settle()
    learn.expect(learn.numbers("src_mask")[0][1] == 0, "hiding a source subword does not change the mask")
    learn.expect(all(row[1] == 0 for row in learn.numbers(weights)), "a hidden source subword is attended to")
    learn.expect(page.locator("#source button").nth(1).get_attribute("aria-pressed") == "true",
                 "a hidden subword is not marked as such")
    learn.examine("with a hidden subword")


def check_blank(learn):
    """Without a sentence the page says what to do; that is no problem."""
    page = learn.page
    learn.expect("Type a sentence" in page.inner_text("#hint"), "without a sentence the page does not ask for one")
    learn.expect(not page.is_visible("#problem"), "without a sentence the page shows a problem")
    learn.expect(not page.is_visible("#views"), "without a sentence the page shows steps")
    learn.examine("without a sentence")


def check_first_choice(learn):
    """As the page opens, the attention map's cell and the chosen step are of the same subword."""
    page = learn.page
    chosen = page.locator("#target button").evaluate_all(
        "all => all.findIndex((one) => one.getAttribute('aria-pressed') === 'true')")
    row = page.evaluate("views.attention.at.row")
    learn.expect(row == chosen == 0, f"step {chosen + 1} is chosen, and row {row + 1} of the attention map")
    learn.expect(not page.is_visible("#hint"), "the page asks for a sentence beside one")


def check_problems(learn):
    """Text that cannot be translated is named as such, and the next text is translated."""
    page = learn.page
    page.click("#reset")
    learn.settle()
    before = learn.translation()
    page.fill("#text", "word " * 190)
    learn.settle()
    said = page.inner_text("#problem")
    learn.expect("subwords; the model reads" in said, f"a sentence that is too long: the page says {said!r}")
    learn.examine("after a problem")
    page.fill("#text", " ")
    learn.settle()
    check_blank(learn)
    page.fill("#text", SENTENCE)
    learn.settle()
    learn.expect(not page.is_visible("#problem"), "a problem stays after it is mended")
    learn.expect(learn.translation() == before, "the translation is another one after a problem")


def check(browser, options, size, scheme):
    """What is wrong with the page at one size, in one colour scheme."""
    page, failures = watched_page(browser, options.address, SIZES[size], scheme)
    learn = LearnPage(page, options, failures)
    if options.is_served:  # such a page opens without a sentence
        check_blank(learn)
        page.fill("#text", "The cat sat.")
    learn.settle()
    learn.expect(not page.is_visible("#message"), f"the page says {page.inner_text('#message')!r}")
    learn.expect(learn.translation(), "nothing is translated on the page as it opens")
    check_first_choice(learn)
    learn.examine("at first")
    learn.screenshot(f"{size}-{scheme}")
    parts = (check_typing, check_views, check_mask, check_positions, check_temperatures, check_hiding)
    for part in parts if (size, scheme) in WALKED and not options.is_served else (check_typing, check_hiding):
        part(learn)
    learn.screenshot(f"{size}-{scheme}-changed")
    check_problems(learn)
    page.close()
    return [f"{size}, {scheme}: {failure}" for failure in failures]


def main():
    options = argument_parser(__doc__)
    options.add_argument("page", type=pathlib.Path, metavar="PAGE.html", nargs="?", help="the page to check")
    options.add_argument("--server", metavar="URL", help="in its place the page /learn of this server, in less detail")
    options = options.parse_args()
    options.is_served = options.server is not None
    if options.is_served:
        options.page = pathlib.Path("served.html")  # for the names of pictures
        options.address = f"{options.server}/learn"
    elif options.page is None or not options.page.is_file():
        sys.exit(f"{options.page}: there is no such file")
    else:
        options.address = options.page.resolve().as_uri()
    check_as(SIZES, options, options.page, lambda browser, size, scheme: check(browser, options, size, scheme))


if __name__ == "__main__":
    main()
