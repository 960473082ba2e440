"""Options: a tournament's are spelled once, as fields of a dataclass, and everything else is made of them."""

import inspect
from dataclasses import fields

import mtrain
from mtrain.arena.experiment import KEYS
from mtrain.arena.faults import SUBSTITUTE
from mtrain.arena.options import Options, Running, flag_of, options_of
from mtrain.arena.spec import command_of, plan
from mtrain.bots.process import Limits
from mtrain.cli.main import mtrain as cli


def test_every_option_is_a_keyword_with_its_default_and_is_told_in_the_docstring() -> None:
    shown, doc = inspect.signature(mtrain.tournament).parameters, inspect.getdoc(mtrain.tournament) or ""
    for each in [*fields(Options), *fields(Running)]:
        assert shown[each.name].default == each.default
        assert f"\n{each.name}\n    {each.metadata['doc']}\n" in doc
    assert "options" not in shown


def test_every_option_with_words_for_it_is_on_the_command_line_and_in_experiment_files() -> None:
    there = {word: param for param in cli.commands["tournament"].params for word in param.opts}
    for name, each in options_of(Options).items():
        assert (flag_of(each) in there) == bool(each.metadata["help"])
        assert (name in KEYS) == bool(each.metadata["key"]) or name == "agents_from"
        if each.metadata["help"]:
            assert there[flag_of(each)].help == each.metadata["help"]


def test_defaults_are_those_of_what_they_set() -> None:
    assert (Options.bot_time, Options.bot_start, Options.bot_memory) == (Limits.seconds, Limits.start, Limits.memory)
    assert Options.on_fault == SUBSTITUTE


def test_what_a_tournament_does_not_depend_on_is_not_in_its_command() -> None:
    plain = command_of(plan(["greedy", "random"]))
    assert command_of(plan(["greedy", "random"], title="A", bot_time=3.0, allow_peeking=True, games=600)) == plain
