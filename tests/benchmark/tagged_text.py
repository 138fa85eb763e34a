#!/usr/bin/env python3
"""How well a model translates text with inline tags, by a test set whose tags people have placed on both sides."""

import argparse
import html
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from translating.programs import Failed, evaluate  # noqa: E402
from translating.text import read_lines, write_lines  # noqa: E402

DETAILS = """
Each line of the test set is a paragraph. It is translated whole, as HTML; in pieces, as programs do that translate what
stands between two tags by itself; and without its tags, line by line. Of the lines with tags:

  text as plain    whose text is the translation of the line without its tags (lines without <code> and the like, whose
                   content is not translated)
  tags lost        tags that are missing, doubled or unbalanced in the output: there should be none
  BLEU             of the text without tags
  F1               of the words of a span (lower case, \\\\w+) against those of the reference's span of the same tag, equal
                   tags in their order: mean over the spans. Lines whose source, output and reference have different
                   tags count as wrong.
  reachable        the same for the best contiguous words of the output in place of each span

"on reference" puts the tags around the words of the references, by the model's alignment of these: what is wrong there
is the alignment's fault alone. It needs the program build/release/benchmark/place_tags (target place_tags); lines whose
tags differ from those of their references count as wrong here, too.

  tests/benchmark/tagged_text.py --checkpoint runs/help/best --source test.html.en --reference test.html.de
"""

TAG = re.compile(r"<!--.*?-->|</?([A-Za-z][\w:-]*)(?:\"[^\"]*\"|'[^']*'|[^'\">])*>")
UNTRANSLATED = ("code", "kbd", "samp", "var", "pre")
VOID = ("br", "img", "wbr", "hr", "input")


def parts_of(line):
    """The tags and the texts between them: (tag, "") or ("", text), in their order."""
    at = 0
    for match in TAG.finditer(line):
        if match.start() > at:
            yield "", html.unescape(line[at:match.start()])
        yield match.group(), ""
        at = match.end()
    if at < len(line):
        yield "", html.unescape(line[at:])


def plain(line):
    return "".join(text for _, text in parts_of(line))


def tags_of(line):
    return [tag for tag, _ in parts_of(line) if tag]


def translated_words(line):
    """The words outside of <code> and the like."""
    for element in UNTRANSLATED:
        line = re.sub(f"<{element}\\b.*?</{element}>", "", line)
    return words_of(plain(line))


def run_tool(*command):
    done = subprocess.run(list(map(str, command)), check=False, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        raise Failed(command[0].name, done.returncode)
    return done.stdout.splitlines()


def is_balanced(line):
    open_tags = []
    for tag in tags_of(line):
        name = TAG.match(tag).group(1)
        if name is None or name.lower() in VOID or tag.endswith("/>"):
            continue
        if not tag.startswith("</"):
            open_tags.append(name)
        elif not open_tags or open_tags.pop() != name:
            return False
    return not open_tags


def words_of(text):
    return re.findall(r"\w+", text.lower())


def spans_of(line):
    """For each start tag, in their order, the tag and the words up to its end."""
    spans = []
    open_spans = []
    for tag, text in parts_of(line):
        if text:
            for span in open_spans:
                span[1].append(text)
        elif tag.startswith("</"):
            name = TAG.match(tag).group(1)
            for span in reversed(open_spans):
                if TAG.match(span[0]).group(1) == name:
                    open_spans.remove(span)
                    break
        elif TAG.match(tag).group(1) and TAG.match(tag).group(1).lower() not in VOID + UNTRANSLATED:
            span = (tag, [])
            spans.append(span)
            open_spans.append(span)
    return [(tag, words_of("".join(texts))) for tag, texts in spans]


def f1(found, wanted):
    left = list(wanted)
    common = 0
    for word in found:
        if word in left:
            left.remove(word)
            common += 1
    return 2 * common / (len(found) + len(wanted)) if found or wanted else 1.0


def reachable_f1(words, wanted):
    """The best of all runs of the words."""
    longest = 2 * len(wanted) + 4  # a longer run cannot be better
    return max((f1(words[begin:end], wanted) for begin in range(len(words))
                for end in range(begin + 1, min(len(words), begin + longest) + 1)), default=0.0)


class Spans:
    """The scores of all spans."""

    def __init__(self):
        self.found = []
        self.reachable = []

    def add(self, source, output, reference):
        wanted = spans_of(reference)
        same = sorted(tags_of(source)) == sorted(tags_of(output)) == sorted(tags_of(reference))
        if not same:
            count = len(spans_of(source))
            self.found += [0.0] * count
            self.reachable += [0.0] * count
            return
        words = words_of(plain(output))
        left = list(wanted)
        for tag, got in spans_of(output):
            place = next(i for i, (other, _) in enumerate(left) if other == tag)
            _, words_wanted = left.pop(place)
            self.found.append(f1(got, words_wanted))
            self.reachable.append(reachable_f1(words, words_wanted))


class Translator:
    def __init__(self, arguments, folder):
        self.folder = folder
        self.bin_dir = arguments.bin_dir
        self.command = [arguments.bin_dir / "translate-infer", "--checkpoint", arguments.checkpoint, "--threads", "1",
                        *arguments.options]

    def run(self, name, lines, *options):
        given, answer = self.folder / f"{name}", self.folder / f"{name}.out"
        write_lines(given, lines)
        command = [*self.command, *options, "--input", given, "--output", answer]
        if code := subprocess.run(list(map(str, command)), check=False).returncode:
            raise Failed("translate-infer", code)
        return read_lines(answer)

    def page(self, lines):
        translated = self.run("page.html", [f"<p>{line}</p>" for line in lines], "--format", "html")
        return [line.removeprefix("<p>").removesuffix("</p>") for line in translated]

    def plain(self, lines):
        return self.run("plain.txt", lines, "--format", "text")

    def on_references(self, sources, references):
        """The references' texts with the sources' tags; lines without text outside of <code> and the like stay."""
        tool = self.bin_dir.parent / "benchmark/place_tags"
        kept = [i for i, pair in enumerate(zip(sources, references)) if all(map(translated_words, pair))]
        pages = []
        for side in (sources, references):
            pages.append(self.folder / f"page-{len(pages)}.html")
            write_lines(pages[-1], [f"<p>{side[i]}</p>" for i in kept])
        texts = [run_tool(tool, "texts", page) for page in pages]
        given, links = self.folder / "references", self.folder / "links"
        write_lines(given, texts[1])
        write_lines(self.folder / "sources", texts[0])
        scored = self.run("sources", texts[0], "--score", "--target", given, "--alignments", "--json")
        write_lines(links, [" ".join(f"{i}-{j}" for i, j in json.loads(line)["alignment"]) for line in scored])
        tagged = dict(zip(kept, run_tool(tool, "write", pages[0], given, links), strict=True))
        return [tagged[i].removeprefix("<p>").removesuffix("</p>") if i in tagged else reference
                for i, reference in enumerate(references)]

    def pieces(self, lines):
        texts = [text.strip() for line in lines for tag, text in parts_of(line) if text.strip()]
        translated = iter(self.plain(texts))
        joined = []
        for line in lines:
            result = ""
            for tag, text in parts_of(line):
                inside = html.escape(next(translated), quote=False) if text.strip() else ""
                space = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
                result += tag + (text[:space[0]] + inside + (text[len(text) - space[1]:] if inside else ""))
            joined.append(result)
        return joined


def report(name, sources, outputs, references, arguments, folder):
    spans = Spans()
    lost = 0
    for source, output, reference in zip(sources, outputs, references):
        lost += sorted(tags_of(source)) != sorted(tags_of(output)) or not is_balanced(output)
        spans.add(source, output, reference)
    path = folder / "reference"
    write_lines(path, map(plain, references))
    bleu = evaluate(arguments.bin_dir, list(map(plain, outputs)), [path], "bleu")
    print(f"{name:14} {bleu:6.2f} {statistics.mean(spans.found):7.3f} {statistics.mean(spans.reachable):10.3f} {lost:10}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=DETAILS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True, metavar="WHICH", help="the model, as for translate-infer")
    parser.add_argument("--source", required=True, type=pathlib.Path, help="lines of HTML to translate")
    parser.add_argument("--reference", required=True, type=pathlib.Path, help="their translations by people")
    parser.add_argument("--system", default=[], action="append", metavar="NAME=FILE",
                        help="also score the output of another system, a line for each of --source")
    parser.add_argument("--bin-dir", default=ROOT / "build/release/bin", type=pathlib.Path, help="the programs")
    parser.add_argument("options", nargs="*", metavar="OPTION", help="behind --: further options of translate-infer")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    systems = dict(system.split("=", 1) for system in arguments.system)
    texts = [read_lines(path) for path in (arguments.source, arguments.reference, *map(pathlib.Path, systems.values()))]
    pairs = [line for line in zip(*texts, strict=True) if tags_of(line[0])]
    sources, references, *others = [list(side) for side in zip(*pairs)]
    with tempfile.TemporaryDirectory(prefix="translate-") as name:
        folder = pathlib.Path(name)
        translator = Translator(arguments, folder)
        whole = translator.page(sources)
        without = translator.plain([plain(source) for source in sources])
        compared = [(plain(output), text) for source, output, text in zip(sources, whole, without)
                    if not any(f"<{element}" in source for element in UNTRANSLATED)]
        same = sum(output == text for output, text in compared)
        print(f"{len(pairs)} lines with tags; text as plain: {same} of {len(compared)}")
        print(f"{'':14} {'BLEU':>6} {'F1':>7} {'reachable':>10} {'tags lost':>10}")
        report("whole", sources, whole, references, arguments, folder)
        report("in pieces", sources, translator.pieces(sources), references, arguments, folder)
        report("on reference", sources, translator.on_references(sources, references), references, arguments, folder)
        for name, output in zip(systems, others):
            report(name, sources, output, references, arguments, folder)


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        print(f"tagged_text: {error}", file=sys.stderr)
        sys.exit(error.code)
