#!/usr/bin/env python3
"""Checks docs/equations.md against the source.

usage: equations_test.py ROOT

Every numbered equation of the paper has one row in the tables, every file named there exists, and every function named beside it is
defined in that file, or declared if it is a header; a call does not count. A row may name several files: each function must be in one
of them, and each file must have one of the functions. The text around the tables names functions as (`Name`, FILE); these are checked
as well.
"""
import pathlib, re, sys

# The equations of the appendix count from 1 again and are called A1, A2, ... here. A55 is an empty
# line that LaTeX numbers.
NUMBERS = [str(n) for n in range(1, 22)] + [f"A{n}" for n in range(1, 82)]
WITHOUT_FORMULA = ["A55"]


def rows(text):
    """The cells of all rows of tables with the columns equation, meaning, computed by, file."""
    in_table = False
    for line in text.splitlines():
        if not line.startswith("|"):
            in_table = False
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells == ["equation", "meaning", "computed by", "file"]:
            in_table = True
        elif in_table and not set("".join(cells)) <= set("-: "):
            yield cells


def mentions(text):
    """Rows made of the functions that the text names beside a file."""
    for name, file in re.findall(r"\(`([^`]+)`,\s+([\w/.]+\.(?:h|cc))\)", text):
        yield ["of the text", "", f"`{name}`", file]


def code(path):
    """The text of a source file without comments, directives and the contents of strings."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)


def closing(text, start, pair):
    """The index after the bracket that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == pair[0]) - (text[i] == pair[1])
        if depth == 0:
            return i + 1
    return len(text)


def class_bodies(text, name):
    """The bodies of classes with this name."""
    for match in re.finditer(rf"\b(?:class|struct) {name}\b[^;{{()]*{{", text):
        yield text[match.end():closing(text, match.end() - 1, "{}")]


def has_function(text, name, prefix, ends):
    """Tells whether a function is introduced: a type before its name, and one of `ends` after its parameters."""
    for match in re.finditer(rf"{prefix}\b{name}\s*\(", text):
        before = re.split(r"[;{}]|\b(?:public|private|protected):", text[:match.start()])[-1]
        if not re.fullmatch(r"[\w:<>,*&\s\[\]]*[\w>*&]\s*", before) or re.search(r"\b(return|throw|else|new|case)\b", before):
            continue  # This is a call, since no type stands before the name.
        after = text[closing(text, match.end() - 1, "()"):]
        if re.match(rf"\s*(?:(?:const|noexcept|override|final)\b\s*)*(?:{ends})", after):
            return True
    return False


def introduces(path, text, name):
    """Tells whether a file defines the function, or, if it is a header, declares it."""
    ends = r"{|;|=\s*0" if path.endswith(".h") else "{"
    scope, _, own = name.rpartition("::")
    if not scope:
        return has_function(text, own, "", ends)
    return (has_function(text, own, re.escape(scope) + "::", ends) or
            any(has_function(body, own, "", ends) for body in class_bodies(text, scope)))


def check_row(root, cells):
    """Yields what is wrong with a row."""
    if len(cells) != 4:
        yield f"has {len(cells)} cells, must have 4"
        return
    names = re.findall(r"`([^`]+)`", cells[2])
    files = [name.strip() for name in cells[3].split(",") if name.strip()]
    if not names and not files and cells[0] in WITHOUT_FORMULA:
        return
    if not names or not files:
        yield "names no function or no file"
    if re.sub(r"`[^`]+`|[, ]", "", cells[2]):
        yield f"'{cells[2]}' is not a list of names in backticks"
    texts = {}
    for file in files:
        if (root / file).is_file():
            texts[file] = code(root / file)
        else:
            yield f"{file} does not exist"
    used = set()
    for name in names:
        found = [file for file, text in texts.items() if introduces(file, text, name)]
        if not found:
            yield f"{name} is not defined in {cells[3]}"
        used.update(found)
    for file in texts:
        if file not in used:
            yield f"{file} has none of the functions"


def main():
    root = pathlib.Path(sys.argv[1])
    errors, seen = [], []
    text = (root / "docs/equations.md").read_text(encoding="utf-8")
    for cells in [*rows(text), *mentions(text)]:
        seen.append(cells[0])
        errors += [f"equation {cells[0]}: {error}" for error in check_row(root, cells)]
    for number in NUMBERS:
        if seen.count(number) != 1:
            errors.append(f"equation {number} has {seen.count(number)} rows, must have 1")
    for number in seen:
        if re.fullmatch(r"A?\d+", number) and number not in NUMBERS:
            errors.append(f"equation {number} is not in the paper")
    for error in errors:
        print(f"docs/equations.md: {error}")
    sys.exit(1 if errors else 0)


main()
