"""Write the pages that are made from the code, docs/reference, and the pictures of docs/pictures: `make docs`.

Nothing on those pages is written by hand. The same code gives the same bytes, on any machine: nothing is read but
mtrain, the agents that come with it, and the written positions beside the pictures. Run as a script it writes the
files; `made` returns them, for the test that holds the committed ones against it.
"""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

import mtrain
from mtrain.analysis import analyse
from mtrain.arena.experiment import KEYS, REQUIRED
from mtrain.bots.registry import Registry, bundled, describe
from mtrain.cli import main as cli
from mtrain.errors import RunError, UsageError
from mtrain.game import state
from mtrain.game.notation import parse_action
from mtrain.game.positions import parse_position
from mtrain.game.rules import ASSUMED, CHOICES, MEANING, PRESETS, RULES_VERSION
from mtrain.stats import tables
from mtrain.table.board import Board
from mtrain.tuning import ladder_tables, racing

DOCS = Path(__file__).parent

SECTIONS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Notes", "Examples", "References")

# ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────────


def page(title: str, about: str, *blocks: str) -> str:
    """Return a page: a title, what it is about, and that nobody need edit it."""
    return "\n\n".join([f"# {title}", "<!-- Made by `make docs`. -->", about, *filter(None, blocks)]) + "\n"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def joined(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())


# ── Commands ──────────────────────────────────────────────────────────────────────────────────────────────


def commands() -> str:
    """Return the page of every command with its options."""
    context = click.Context(cli.mtrain, info_name="mtrain")
    return page(
        "Commands",
        "Every command of `mtrain`, its arguments and its options. Exit status: 0 done, 1 the work found something "
        "wrong, 2 the call was wrong, 130 interrupted.",
        paragraphs(cli.mtrain.help or ""),
        *each_command(cli.mtrain, context),
    )


def each_command(group: click.Group, above: click.Context) -> Iterator[str]:
    for name, command in group.commands.items():
        context = click.Context(command, info_name=name, parent=above)
        words = " ".join(word for word in (*usage(command), "[OPTIONS]" if options_of(command) else "") if word)
        yield f"## {context.command_path}" if above.parent is None else f"### {context.command_path}"
        yield f"```\n{context.command_path} {words}".rstrip() + "\n```"
        yield paragraphs(command.help or "")
        if options := options_of(command):
            yield table(["option", "what it does", "default"], map(option_row, options))
        if isinstance(command, click.Group):
            yield from each_command(command, context)


def usage(command: click.Command) -> Iterator[str]:
    if isinstance(command, click.Group):
        yield "COMMAND"
    for each in command.params:
        if isinstance(each, click.Argument):
            word = each.metavar or (each.name or "").upper() + ("…" if each.nargs == -1 else "")
            yield word if each.required or each.metavar else f"[{word}]"


def options_of(command: click.Command) -> list[click.Option]:
    return [each for each in command.params if isinstance(each, click.Option) and not each.hidden]


def option_row(option: click.Option) -> list[str]:
    """Return an option as a row: how it is written, its help, its default."""
    help_text, _, said = (option.help or "").partition("  [default: ")
    default = said.rstrip("]") if said else str(option.default) if option.show_default else ""
    return [code(" ".join(filter(None, [", ".join(option.opts), *value_of(option)]))), help_text, default]


def value_of(option: click.Option) -> Iterator[str]:
    if option.is_flag:
        return
    if option.metavar:
        yield option.metavar
    elif isinstance(option.type, click.Choice):
        yield "|".join(map(str, option.type.choices))
    else:
        yield {"integer": "N", "integer range": "N", "float": "X"}.get(option.type.name, option.type.name.upper())


def paragraphs(text: str) -> str:
    return "\n\n".join(joined(each) for each in inspect.cleandoc(text).split("\n\n"))


# ── Python ────────────────────────────────────────────────────────────────────────────────────────────────


def python() -> str:
    """Return the page of every public name, and of what the public functions hand back."""
    public = [(name, getattr(mtrain, name)) for name in mtrain.__all__ if name != "__version__"]
    groups: list[tuple[str, Callable[[Any], bool]]] = [
        ("Functions", lambda each: callable(each) and not isinstance(each, type)),
        ("Classes", lambda each: isinstance(each, type) and not issubclass(each, BaseException)),
        ("Exceptions", lambda each: isinstance(each, type) and issubclass(each, BaseException)),
    ]
    blocks: list[str] = []
    for title, belongs in groups:
        blocks.append(f"## {title}")
        for name, each in public:
            if belongs(each):
                blocks += described(f"mtrain.{name}", each)
    blocks += ["## mtrain.STATE", *state_described(), "## mtrain.plots", joined(inspect.getdoc(mtrain.plots) or "")]
    for name, each in vars(mtrain.plots).items():
        if inspect.isfunction(each) and each.__module__ == mtrain.plots.__name__ and not name.startswith("_"):
            blocks += described(f"mtrain.plots.{name}", each)
    blocks += ["## What is handed back", "These have no name in `mtrain`; the functions above return them."]
    for each in handed_back(each for _, each in public):
        blocks += described(each.__name__, each)
    return page(
        "Python",
        "Every public name of `mtrain`, with its signature. A name costs nothing until it is used.",
        *blocks,
    )


def handed_back(public: Iterable[Any]) -> list[type]:
    """Return the classes of mtrain that public functions return, without those that are public themselves."""
    known: list[Any] = list(public)
    found: list[type] = []
    for function in filter(inspect.isfunction, known):
        for word in re.findall(r"\w+", annotation(inspect.signature(function).return_annotation)):
            each = function.__globals__.get(word)
            if isinstance(each, type) and each.__module__.startswith("mtrain.") and each not in [*known, *found]:
                found.append(each)
    return sorted(found, key=lambda each: each.__name__)


def state_described() -> Iterator[str]:
    about, _, fields = (state.__doc__ or "").partition("\n\n")
    yield joined(about) + " A position is an array of one of them, `STATE[1]`."
    yield joined(fields.partition("\n\n")[0])
    yield f"```\n{fields.partition(chr(10) * 2)[2].strip()}\n```"


def described(name: str, each: Any) -> Iterator[str]:
    """Yield a function or a class: its name, signature and docstring, and the public parts of a class."""
    each = getattr(each, "py_func", each)  # a compiled function is described by what it was compiled from
    yield f"### {name}"
    if not isinstance(each, type):
        yield f"```python\n{signature(name.removeprefix('mtrain.'), each)}\n```"
        yield docstring(inspect.getdoc(each) or "")
        return
    if issubclass(each, BaseException):
        bases = ", ".join(base.__name__ for base in each.__bases__)
        yield f"```python\nclass {each.__name__}({bases})\n```"
    elif "__init__" in vars(each):
        yield f"```python\n{signature(each.__name__, each)}\n```"
    yield docstring(inspect.getdoc(each) or "")
    parts = [part for part in vars(each).items() if not part[0].startswith("_")]
    lines = [line for part in parts if (line := part_described(*part))]
    if lines:
        yield "**Properties and methods**\n\n" + "\n".join(lines)


def part_described(name: str, part: Any) -> str:
    """Return an attribute or a method of a class in one line; nothing for what has no docstring."""
    inner = getattr(part, "__func__", None) or getattr(part, "fget", None) or getattr(part, "func", None) or part
    doc = inspect.getdoc(inner) if inspect.isfunction(inner) else None
    if not doc:
        return ""
    called = signature(name, inner, bound=True) if inner is part or hasattr(part, "__func__") else name
    return f"- `{joined(called)}`: {joined(doc.partition(chr(10) * 2)[0])}"


def signature(name: str, function: Any, bound: bool = False) -> str:
    """Return a function as it is written, on lines of their own where it is long; the same for every Python."""
    found = inspect.signature(function)
    words, star = [], False
    for each in list(found.parameters.values())[bound:]:
        mark = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        if each.kind is each.KEYWORD_ONLY and not star:
            words.append("*")
        star = star or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        typed = "" if each.annotation is each.empty else f": {annotation(each.annotation)}"
        default = "" if each.default is each.empty else f"{' = ' if typed else '='}{default_text(each.default)}"
        words.append(f"{mark}{each.name}{typed}{default}")
    back = "" if found.return_annotation is found.empty or isinstance(function, type) else found.return_annotation
    back = f" -> {annotation(back)}" if back != "" else ""
    words, back = [word.replace("'", '"') for word in words], back.replace("'", '"')
    line = f"{name}({', '.join(words)}){back}"
    return line if len(line) <= 100 or bound else f"{name}(\n    " + ",\n    ".join(words) + f",\n){back}"


def default_text(default: Any) -> str:
    """Return a default as it is written; a path of this machine is none of anybody's business."""
    return "…" if isinstance(default, str) and Path(default).is_absolute() else repr(default)


def annotation(what: Any) -> str:
    """Return a type as one writes it, without the modules that its names are from."""
    text = what if isinstance(what, str) else inspect.formatannotation(what)
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)


def docstring(text: str) -> str:
    """Return a numpydoc docstring as Markdown: its sections as lists."""
    heading = re.compile(rf"^({'|'.join(SECTIONS)})\n-+\n", re.MULTILINE)
    first, *rest = heading.split(text)
    blocks = [prose(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        shown = {"Examples": example, "Notes": prose, "References": prose}.get(title, entries)
        blocks.append(f"**{title}**\n\n{shown(body)}")
    return "\n\n".join(filter(None, blocks))


def entries(body: str) -> str:
    """Return the entries of a section as a list: each line that is not indented, and what is said below it."""
    lines: list[str] = []
    for line in body.strip().splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += (" — " if lines[-1].endswith("`") else " ") + line.strip()
        elif line.strip():
            lines.append(f"- `{line.strip()}`")
    return "\n".join(lines)


def example(body: str) -> str:
    return f"```python\n{body.strip()}\n```"


def prose(text: str) -> str:
    """Return paragraphs, each on one line; the items of a list on one line each."""
    paragraphs = (re.split(r"\n(?=- )", each) for each in text.strip().split("\n\n"))
    return "\n\n".join("\n".join(map(joined, items)) for items in paragraphs)


# ── Tables, agents, rules ─────────────────────────────────────────────────────────────────────────────────


def table_pages() -> str:
    """Return the page of every table and column."""
    modules = [tables, analyse, ladder_tables, racing]
    blocks: list[str] = []
    for module in modules:
        found = tables_of(module)
        blocks += [f"## {module.__name__}", joined((module.__doc__ or "").partition("\n\n")[0])]
        for each in found:
            blocks += table_described(each)
    return page(
        "Tables",
        "Every table and column. The same words and units stand in each Parquet file, as metadata of its fields. "
        "Types: `Float64` is a number that may be null, never inf or nan; a `category` has the values listed, or the "
        "labels of the run.",
        *blocks,
    )


def tables_of(module: ModuleType) -> list[tables.Table]:
    found = [each for each in vars(module).values() if isinstance(each, tables.Table)]
    if module is racing:
        found.insert(0, racing.trials_table({}))
    return found


def table_described(each: tables.Table) -> Iterator[str]:
    yield f"### {each.name}"
    told = f" Rows are told apart and ordered by {', '.join(map(code, each.key))}." if each.key else ""
    more = " Between `agent` and `blocks` stands a column for every parameter that is searched." if (
        each.name == "trials"
    ) else ""  # fmt: skip
    yield f"A row is one {each.row}.{told}{more}"
    yield table(
        ["column", "type", "unit", "meaning"],
        (
            [code(c.name), c.dtype, c.unit, c.meaning + (f" ({choices(c.choices)})" if c.choices else "")]
            for c in each.columns
        ),
    )


def choices(values: Iterable[str]) -> str:
    return ", ".join(code(value) if value else "nothing" for value in values)


def agents() -> str:
    """Return the page of the agents that come with mtrain."""
    registry, home = Registry(()), bundled()
    names = [name for name, origin in sorted(registry.origins.items()) if Path(origin).parent == home]
    blocks: list[str] = []
    for name in names:
        about = describe(registry, name)
        doc = inspect.getdoc(registry.find(name)) or ""
        blocks += [f"## {name}", f"{prose(doc.partition('Parameters' + chr(10))[0])}\n\nAsked as: {about['how']}."]
        if about["parameters"]:
            rows = ([code(p["name"]), code(p["default"]), p["values"], p["meaning"]] for p in about["parameters"])
            blocks.append(table(["parameter", "default", "values", "meaning"], rows))
    return page(
        "Agents",
        "The agents that come with mtrain. One is written `NAME` or `NAME:PARAMETER=VALUE,PARAMETER=VALUE`; what is "
        "not said has its default. `mtrain agents` prints the same, and those of yours.",
        *blocks,
    )


def experiments() -> str:
    """Return the page of the keys of experiment files."""
    words = {
        str: "text",
        list: "list of texts",
        dict: "table",
        int: "whole number",
        float: "number",
        bool: "true or false",
    }
    rows = ([code(key), words[kind], meaning] for key, (kind, meaning) in KEYS.items())
    return page(
        "Experiment files",
        f"The keys of an experiment file. {', '.join(map(code, REQUIRED[:-1]))} and {code(REQUIRED[-1])} must be said; "
        "each `[[part]]` has a `name` besides, and may say any of them again. How to write one is told in "
        "[write an experiment down](../experiments.md).",
        table(["key", "is a", "what it says"], rows),
    )


def rules() -> str:
    """Return the page of the fields of a RuleSet and of the presets."""
    fields = table(
        ["field", "meaning", "values"],
        ([code(name), meaning, values_of(name)] for name, meaning in MEANING.items()),
    )
    presets = table(
        ["field", *PRESETS],
        ([code(field), *(value(preset, field) for preset in PRESETS)] for field in MEANING),
    )
    able = table(
        ["preset", "can be dealt to"],
        ([code(name), f"{', '.join(map(str, each.dealable()))} players"] for name, each in PRESETS.items()),
    )
    return page(
        "Rules",
        f"The fields of a `RuleSet` and the presets; `mtrain rules` prints the same. Version of the rules: "
        f"{RULES_VERSION}. What the fields mean at the table is told in [the rules of the game](../rules.md).",
        "## Fields",
        fields,
        "## Presets",
        presets,
        "\\* assumed: the preset's published text leaves this value out.",
        able,
    )


def values_of(field: str) -> str:
    if field in CHOICES:
        return ", ".join(map(code, CHOICES[field]))
    default = getattr(PRESETS["standard"], field)
    if isinstance(default, bool):
        return "yes, no"
    return {"players": "least–most", "hand_size": "a number, or PLAYERS:NUMBER,…"}.get(field, "a whole number")


def value(preset: str, field: str) -> str:
    """Return the value of a preset's field, with a star where the published text leaves it out."""
    found = getattr(PRESETS[preset], field)
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, tuple):
        return "–".join(map(str, found))
    if isinstance(found, dict):
        assumed = ASSUMED.get(preset, {}).get(field, ())
        return ", ".join(f"{n}: {size}{'*' if n in assumed else ''}" for n, size in found.items())
    return str(found)


# ── Pictures ──────────────────────────────────────────────────────────────────────────────────────────────


def drawn(text: str) -> str:
    """Return the picture of a written position.

    Above the position, and an empty line, may stand ``viewer SEAT`` and ``last ACTION``: whose hand is shown, and what
    has just been done.
    """
    above, _, below = text.partition("\n\n")
    said = dict(line.split(" ", 1) for line in above.splitlines())
    position = parse_position(below)
    viewer = int(said["viewer"]) if "viewer" in said else None
    last = parse_action(said["last"], int(position[0].n_seats)) if "last" in said else None
    return Board(position, viewer, last).svg().rstrip("\n") + "\n"


# ── All of it ─────────────────────────────────────────────────────────────────────────────────────────────

PAGES: dict[str, Callable[[], str]] = {
    "agents": agents,
    "commands": commands,
    "experiments": experiments,
    "python": python,
    "rules": rules,
    "tables": table_pages,
}


def made() -> dict[Path, str]:
    """Return every file that is made, with its text."""
    files = {DOCS / "reference" / f"{name}.md": write() for name, write in PAGES.items()}
    for path in sorted((DOCS / "pictures").glob("*.txt")):
        files[path.with_suffix(".svg")] = drawn(path.read_text(encoding="utf-8"))
    return files


def there() -> set[Path]:
    """Return the made files that lie in the folders now."""
    return {*(DOCS / "reference").glob("*"), *(DOCS / "pictures").glob("*.svg")}


def main() -> None:
    """Write every file, and remove those that are no longer made."""
    files = made()
    for path in there() - set(files):
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(DOCS.parent)}")


if __name__ == "__main__":
    try:
        main()
    except (UsageError, RunError, ValueError) as error:
        sys.exit(f"docs: {error}")
