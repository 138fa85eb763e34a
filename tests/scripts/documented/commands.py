"""The commands of the documentation, taken out of its Markdown."""

import dataclasses
import re
import subprocess

# What a block begins with that holds commands, or a line of running text that is one.
PROGRAM = r"(?:translate-(?:train|data|eval|export|import|infer|serve)|scripts/[\w-]+|tests/[\w/.-]+)"
OTHERS = r"curl|pip|scp|python3|echo|printf|cmake|ctest|apt-get|taskset|build/\S+|export|for"
COMMAND = re.compile(rf"(?:{PROGRAM}|{OTHERS})(?:\s|$)|\w+=")
# In running text only what is whole: a configuration, or a sentence to translate, and no placeholder (RUN, FILE, …); the
# rest are names of options.
WHOLE = re.compile(rf"(?!.*(?:\b[A-Z]{{2,}}\b|…)){PROGRAM}\s(?:.*--config\s+\S+\.json|\"[^\"]+\"$)")
COMMAND_LANGUAGES = ("", "sh", "bash", "shell", "console")
OTHER_LANGUAGES = ("json", "jsonc", "python", "text", "ini", "html", "cpp", "cmake", "dockerfile", "nginx", "caddy", "yaml")
OPTIONAL = re.compile(r"\s\[(--[^\]]+)\]")


@dataclasses.dataclass(frozen=True)
class Command:
    """A command as it stands in a document; `block` counts the document's blocks, so that shell variables live as long
    as theirs."""

    document: str
    line: int
    block: int
    text: str

    @property
    def place(self):
        return f"{self.document}:{self.line}"


def commands_of(document, markdown):
    """All commands in their order: those of blocks of code without a language, and whole ones in running text."""
    found = []
    for block, (line, language, lines) in enumerate(blocks_of(markdown)):
        if language is None:
            spans = re.findall(r"`([^`]+)`", " ".join(lines))
            found += [Command(document, line, block, span) for span in spans if WHOLE.match(span)]
        elif language in COMMAND_LANGUAGES:
            for offset, text in statements(lines, f"{document}:{line}"):
                found += [Command(document, line + offset, block, each) for each in variants(text)]
        elif language not in OTHER_LANGUAGES:
            raise ValueError(f"{document}:{line}: code in {language}: is it commands or not? commands.py should say so")
    return found


def blocks_of(markdown):
    """(number of the first line, language, lines) of each block of code; of a line of running text the language is
    None."""
    blocks, fence = [], None
    for number, line in enumerate(markdown.split("\n"), 1):
        if line.startswith("```"):
            if fence is None:
                fence = (number + 1, line[3:].strip(), [])
                blocks.append(fence)
            else:
                fence = None
        elif fence is not None:
            fence[2].append(line)
        else:
            blocks.append((number, None, [line]))
    return blocks


def statements(lines, place):
    """(offset, text) of each statement of a block: behind `$ ` where there are such lines (the others are what is
    printed), else all, where the first one is a command. A statement goes on until the shell finds it complete."""
    session = any(line.startswith("$ ") for line in lines)
    if not session and not is_script(lines):
        suspicious = [line for line in lines if re.match(rf"\s*{PROGRAM}\s+-", line)]
        if suspicious:
            raise ValueError(f"{place}: a block that does not begin with a command holds one: {suspicious[0]}")
        return []
    found, pending, begin = [], "", 0
    for offset, line in enumerate(lines):
        if not pending:
            if (session and not line.startswith("$ ")) or not line.strip() or line.startswith("#"):
                continue
            begin, line = offset, line.removeprefix("$ ") if session else line
        pending += line + "\n"
        if is_complete(pending):
            found.append((begin, pending.rstrip("\n")))
            pending = ""
    if pending:
        raise ValueError(f"{place}: an incomplete command: {pending}")
    return found


def is_script(lines):
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return COMMAND.match(first) is not None


def is_complete(text):
    if re.sub(r"\s+#.*", "", text.rstrip("\n")).endswith("\\"):
        return False
    return subprocess.run(["bash", "-n", "-c", text], check=False, capture_output=True).returncode == 0


def variants(text):
    """A command with `[--option value]`: first without, then with it."""
    if not OPTIONAL.search(text):
        return [text]
    return [OPTIONAL.sub("", text), OPTIONAL.sub(r" \1", text)]
