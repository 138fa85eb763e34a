"""The links of the documentation to a symbol in the code, such as
[src/trainer/modules/masks.cpp:11](../src/trainer/modules/masks.cpp#L11) `causal_mask`: the label and the target name the
file and the line, the code span behind the link names the symbol."""

import dataclasses
import os
import pathlib
import re

from linking.symbols import line_of

LINK = re.compile(r"\[(?P<label>src/[^\]:]+)(?::(?P<line>\d+))?\]\((?P<target>[^)#\s]+)(?:#L(?P<anchor>\d+))?\)"
                  r"(?P<space>\s)`(?P<symbol>[\w:]+)`")


@dataclasses.dataclass
class Page:
    """A page with its links."""

    path: pathlib.Path  # from the root
    text: str  # as it is
    linked: str  # with the right line numbers
    links: int  # to symbols
    broken: list[str]  # links whose file or symbol is not there, each with its place
    stale: list[str]  # links with a wrong line, or with none


def pages_of(root: pathlib.Path) -> list[pathlib.Path]:
    """The pages that may have links, from the root."""
    docs = sorted((root / "docs").rglob("*.md"))
    return [path.relative_to(root) for path in (root / "README.md", root / "CONTRIBUTING.md", *docs) if path.exists()]


def read_page(root: pathlib.Path, path: pathlib.Path) -> Page:
    """Reads a page and looks every linked symbol up in its file."""
    text = (root / path).read_text(encoding="utf-8")
    page = Page(path, text, text, 0, [], [])

    def refreshed(link: re.Match) -> str:
        page.links += 1
        place = f"{path}:{text.count(chr(10), 0, link.start()) + 1}"
        file, symbol = link["label"], link["symbol"]
        if not (root / file).is_file():
            page.broken.append(f"{place}: there is no file {file}")
            return link.group()
        line = line_of((root / file).read_text(encoding="utf-8"), symbol)
        if line is None:
            page.broken.append(f"{place}: {file} has no symbol {symbol}")
            return link.group()
        target = pathlib.PurePosixPath(os.path.relpath(file, path.parent))
        wanted = f"[{file}:{line}]({target}#L{line}){link['space']}`{symbol}`"
        if wanted != link.group():
            page.stale.append(f"{place}: {symbol} is in line {line} of {file}, but the link is {link.group()}")
        return wanted

    page.linked = LINK.sub(refreshed, text)
    return page
