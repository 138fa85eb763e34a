"""Finds where a C++ file of this project defines or declares a symbol.

It relies on the layout that clang-format gives every file: whatever stands in a namespace begins in the first column,
and whatever is inside a function or a class does not.
"""

import re

STRING = r'"(?:\\.|[^"\\\n])*"'
CHARACTER = r"(?<!\w)'(?:\\.|[^'\\\n])+'"
NOT_CODE = re.compile(rf'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|{STRING}|{CHARACTER}', re.DOTALL)
TYPE = r"(?:class|struct|enum class|enum)"


def line_of(code: str, symbol: str) -> int | None:
    """The line, counted from 1, of a type, function or constant `name`, or of a member `Type::name`; None if the code
    has no such symbol. A definition is preferred to a declaration. The `Impl` that LibTorch wants at the end of a
    module's name may be left out."""
    plain = without_comments(code)
    scope, _, name = symbol.rpartition("::")
    if scope:
        place = find(rf"^(?=\S).*\b{named(scope)}::{re.escape(name)}\(", plain) or member(plain, scope, name)
    else:
        place = (type_definition(plain, name) or find(rf"^(?=[^\s#]).*\b{re.escape(name)}\(", plain)
                 or find(rf"^{re.escape(name)}\(|^(?=[^\s#]).*\b{re.escape(name)}\s*[={{;\[]", plain))
    return None if place is None else plain.count("\n", 0, place.start()) + 1


def without_comments(code: str) -> str:
    """The code with blanks in place of comments and texts, line by line as before."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), code)


def named(name: str) -> str:
    """A pattern for a type's name, with or without `Impl`."""
    return rf"{re.escape(name)}(?:Impl)?"


def find(pattern: str, code: str) -> re.Match | None:
    return re.search(pattern, code, flags=re.MULTILINE)


def type_definition(code: str, name: str) -> re.Match | None:
    return find(rf"\b{TYPE}\s+{named(name)}\b\s*(?:final\s*)?(?::[^;{{]*)?{{", code)


def member(code: str, scope: str, name: str) -> re.Match | None:
    """A member of a type, as its body declares it: outside the parentheses and bodies of other members."""
    definition = type_definition(code, scope)
    if definition is None:
        return None
    begin = definition.end()
    depth = 1  # of braces and parentheses
    for token in re.finditer(rf"[{{}}()]|\b{re.escape(name)}\b(?!\s*::)", code[begin:]):
        text = token.group()
        if text in "{(":
            depth += 1
        elif text in "})":
            depth -= 1
            if depth == 0:
                return None
        elif depth == 1:
            return re.compile(re.escape(name)).match(code, begin + token.start())
    return None
