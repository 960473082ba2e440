"""Seating: who sits where when people and agents play, and under which names."""

from collections.abc import Mapping, Sequence
from typing import Any

from mtrain.errors import counted
from mtrain.game.notation import MEXICAN
from mtrain.game.rules import MAX_PLAYERS, RuleSet
from mtrain.show.session import Player, SessionError
from mtrain.think.registry import Registry, build, refuse_peeking

_LONGEST = 30  # characters of a name
_TAKEN = (MEXICAN, "m", "own", "mine", "me")  # what trains are called


def people_named(names: Sequence[str], people: int | None) -> list[str]:
    """Return the names of the people at the keyboard.

    Raises
    ------
    SessionError
        If there are more names than people, or a name cannot be one.
    """
    people = max(1, len(names)) if people is None else people
    if len(names) > people:
        raise SessionError(f"{len(names)} names for {counted(people, 'person').replace('persons', 'people')}")
    for name in names:
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
            raise SessionError(f"a name is 1 to {_LONGEST} printable characters, not {name[:60]!r}")
        if name.strip().lower() in _TAKEN or name.strip().isdigit():
            raise SessionError(f"{name!r} is what a train is called; take another name")
    left = [f"person {k + 1}" if people > 1 else "you" for k in range(len(names), people)]
    return [*(name.strip() for name in names), *left]


def check_seats(rules: RuleSet, n_people: int, n_agents: int, players: int | None) -> None:
    """Refuse a table that cannot be filled or dealt to, before any agent is built.

    Raises
    ------
    SessionError, RulesError
        With the number that is wrong.
    """
    there = n_people + n_agents
    wanted = there if players is None else players
    who = f"{counted(n_agents, 'agent')} and {'1 person' if n_people == 1 else f'{n_people} people'}"
    if there == 1:
        raise SessionError("name the agents to play against, like `mtrain play greedy heuristic`")
    if there != wanted:
        raise SessionError(f"{who} for {counted(wanted, 'seat')}; name one agent for every seat that no person has")
    if there > MAX_PLAYERS:
        raise SessionError(f"{who}, and a table has {MAX_PLAYERS} seats at most")
    rules.hand_for(there)


def seated(people: Sequence[str], agents: Sequence[str], registry: Registry, allow_peeking: bool) -> list[Player]:
    """Return who sits where: people first, then the agents, built; several of one name are numbered.

    Raises
    ------
    AgentError, LevelsError
        If an agent is not there, cannot be built, or peeks without being allowed to.
    """
    specs = [registry.parse(agent) for agent in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    taken = [name.lower() for name in people]
    players = [Player(name) for name in people]
    labels = [spec.label.lower() for spec in specs]
    for named, spec in zip(agents, specs, strict=True):
        name, number = spec.label, 1
        if labels.count(name.lower()) > 1:
            name = f"{spec.label} {number}"
        while name.lower() in taken:
            number += 1
            name = f"{spec.label} {number}"
        taken.append(name.lower())
        players.append(Player(name, named, build(spec)))
    return players


def seated_again(said: Mapping[str, Any], registry: Registry, allow_peeking: bool) -> tuple[list[Player], list[str]]:
    """Return who sits in the seats of a saved game, and a sentence for every agent that is another by now.

    Raises
    ------
    AgentError, LevelsError
        As for `seated`.
    """
    players, changed = [], []
    for name, named, text in zip(said["names"], said["named"], said["agents"], strict=True):
        if not named:
            players.append(Player(name))
            continue
        spec = registry.parse(named)
        if not allow_peeking:
            refuse_peeking([spec])
        player = Player(name, named, build(spec))
        if player.text != text:
            changed.append(f"{named} was {text} when the game was begun, and is {player.text}")
        players.append(player)
    return players, changed
