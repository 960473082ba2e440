"""The house: imports run one way, nobody imports an agent, and names lead where they say."""

import ast
import re
from pathlib import Path

import mtrain
from tests.helpers.program import HERE

# What each package may import, besides itself: `stats` and `report` know nothing of the game, and `bots` and `strategy`
# nothing of each other.
LEAVES = {"errors", "version"}
MAY = {
    "game": set(),
    "stats": set(),
    "bots": {"game"},
    "strategy": {"game"},
    "report": {"stats"},
    "arena": {"game", "bots", "strategy", "stats", "report"},
    "tuning": {"game", "bots", "strategy", "stats", "report", "arena"},
    "analysis": {"game", "bots", "strategy", "stats", "report", "arena", "tuning"},
    "table": {"game", "bots", "strategy", "stats", "report", "arena", "tuning", "analysis"},
    "cli": {"game", "bots", "strategy", "stats", "report", "arena", "tuning", "analysis", "table"},
    "__main__": {"cli"},
} | {leaf: set() for leaf in LEAVES}

# Why a module stands by itself that a single other one imports.
ALONE = {
    "analysis.calibrate": "public",
    "arena.bench": "a command's work",
    "arena.conformance": "a command's work",
    "arena.dask": "needs what is not always installed",
    "arena.merge": "public",
    "arena.reproduce": "a command's work",
    "arena.tournament": "public",
    "cli.catalogue": "commands",
    "cli.explore": "commands",
    "cli.games": "commands",
    "cli.levels": "commands",
    "cli.main": "what is started",
    "report.page": "a command's work",
    "stats.compare": "public",
    "strategy.montecarlo": "agents build on it",
    "table.companion": "a command's work",
    "table.play": "a command's work",
    "table.replay_page": "public",
    "tuning.level_plots": "drawn on request",
    "tuning.maximise": "public",
    "tuning.racing": "how candidates race, apart from what is searched",
}


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((HERE / "mtrain").rglob("*.py")):
        parts = path.relative_to(HERE).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports(path: Path) -> set[str]:
    """Return the modules of mtrain that a file imports, wherever in it."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
    return named


def test_imports_run_one_way() -> None:
    known = modules()
    for name, path in known.items():
        if "." not in name:
            continue
        package = name.split(".")[1]
        for other in imports(path) & set(known):
            target = other.split(".")[1] if "." in other else None
            assert target in (None, package) or target in MAY[package] | LEAVES, f"{name} imports {other}"


def test_no_circle_within_a_package() -> None:
    known = modules()
    needs = {
        name: {other for other in imports(path) & set(known) if other.count(".") == 2} for name, path in known.items()
    }
    done: set[str] = set()
    while len(done) < len(needs):
        ready = {name for name, wants in needs.items() if name not in done and wants - {name} <= done}
        assert ready, f"a circle among {sorted(set(needs) - done)}"
        done |= ready


def importers() -> dict[str, set[str]]:
    """Return who imports each module: those of the package, the stub of public names left out."""
    known = modules()
    found: dict[str, set[str]] = {name: set() for name, path in known.items() if path.name != "__init__.py"}
    for name, path in known.items():
        for other in imports(path) & set(found) - {name}:
            found[other].add(name)
    return found


def test_a_module_of_one_importer_has_a_reason() -> None:
    single = {name.removeprefix("mtrain.") for name, by in importers().items() if len(by) == 1}
    assert single == set(ALONE)


def test_functions_are_asked_for_little() -> None:
    """Eight parameters are many; more are for a record of what belongs together."""
    many = {}
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                given = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                many[f"{name}.{node.name}"] = len(given) - (given[:1] in (["self"], ["cls"]))
    assert max(many.values()) <= 12
    assert sum(n > 8 for n in many.values()) <= 8


def test_nobody_imports_an_agent_and_no_agent_imports_another() -> None:
    for path in [*(HERE / "mtrain").rglob("*.py"), *(HERE / "agents").glob("*.py")]:
        assert not any(name == "agents" or name.startswith(("agents.", "mtrain_agents")) for name in imports(path)), (
            path
        )
    assert not (HERE / "agents" / "__init__.py").exists()


def test_every_module_opens_with_what_it_holds() -> None:
    for name, path in modules().items():
        text = path.read_text(encoding="utf-8")
        assert not text.strip() or ast.get_docstring(ast.parse(text)), name


def test_every_public_name_is_where_the_stub_says() -> None:
    assert len(mtrain.__all__) > 40
    for name in mtrain.__all__:
        assert getattr(mtrain, name) is not None


def test_no_test_file_imports_another() -> None:
    for path in (HERE / "tests").rglob("*.py"):
        others = {name for name in imports(path) if name.split(".")[-1].startswith("test_")}
        assert not others, f"{path.name} imports {sorted(others)}: what they share belongs in tests/helpers"


def test_every_case_has_a_test_and_every_number_a_line() -> None:
    held: dict[str, set[str]] = {}
    for line in (HERE / "tests" / "cases.md").read_text(encoding="utf-8").splitlines():
        if case := re.match(r"- \*\*([A-Z]\d\d)\*\* .+ → .+", line):
            assert case[1] not in held, f"{case[1]} has two lines"
            held[case[1]] = set()
        elif test := re.match(r"  - (test_\w+\.py::test_\w+)$", line):
            held[list(held)[-1]].add(test[1])
        else:
            assert not line.lstrip().startswith("-"), line
    for letter in {case[0] for case in held}:
        numbers = [int(case[1:]) for case in held if case[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1)), letter
    there: set[str] = set()
    for path in (HERE / "tests").glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                there.add(f"{path.name}::{node.name}")
    for case, tests in held.items():
        assert tests, f"{case} has no test"
        assert tests <= there, f"{case}: no test {sorted(tests - there)}"
    for test in there:
        for case in re.findall(r"(?<=_)[A-Z]\d\d(?=_|$)", test):
            assert test in held.get(case, ()), f"{test} is not in tests/cases.md"


def test_only_the_command_line_handles_signals() -> None:
    """And a worker process of ours, which nobody else lives in."""
    for name, path in modules().items():
        if name.startswith("mtrain.cli."):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if getattr(node, "name", "") != "_serve":
                calls = {ast.unparse(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}
                assert "signal.signal" not in calls, name
