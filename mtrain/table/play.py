"""Playing at a terminal: the loop between a session and the people at the keyboard.

It reads entries, asks the session, and prints; what is legal, who may know what and how the game goes is the
session's affair. Whatever is typed gets an answer.
"""

import shlex
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape

from mtrain.game.moves import IllegalAction
from mtrain.game.notation import action_text
from mtrain.game.record import Event
from mtrain.game.rules import ranks
from mtrain.game.state import OUT
from mtrain.report.terminal import table
from mtrain.table import saved
from mtrain.table.board import Board
from mtrain.table.people import (
    Entries,
    EntryError,
    action_words,
    hint_rows,
    listed,
    news,
    plain,
    read_action,
    round_words,
    score_rows,
    unknown,
)
from mtrain.table.session import Session
from mtrain.table.view import Hands

HELP = """\
3                 do what has this number in the list
12-7@own          lay 12-7 on your own train; also 12-7@mexican, 12-7@2 (a seat), 12-7@NAME
12-7              lay it where it goes, if only one train takes it
pass              stop there, or keep the tile you drew, where that is allowed
line up           put your hand in the order of its longest train (line up pips: its heaviest)
hint              what each action comes to in sampled deals that agree with all you know
undo              go back to your last choice
board             show the table and your actions again
score             the score sheet
why not 12-7@3    say why an action is not allowed
save [FILE]       save the game
quit              leave; --save FILE or save FILE keeps the game"""

COMMANDS = ("pass", "line up", "hint", "undo", "board", "score", "why not", "save", "help", "quit")

_WIDEST = 110  # columns that the board and the list of actions use

# Where an entry leads: it changes nothing, the game is another now, or the person leaves.
_STAY, _ON, _LEAVE = range(3)


class Playing:
    """A session at a terminal.

    Parameters
    ----------
    session
        The game.
    entries
        Where entries come from.
    console
        Where all is printed.
    save
        The file that keeps the game; written after every choice. None: it is not kept, unless somebody says `save`.
    agents_from
        Where agents were looked for; the file says so.
    """

    def __init__(
        self,
        session: Session,
        entries: Entries,
        console: Console,
        save: Path | None = None,
        agents_from: Sequence[str] = (),
    ) -> None:
        self.session, self.entries, self.console = session, entries, console
        self._file, self._agents_from = save, agents_from
        self._viewer = session.people[0] if len(session.people) == 1 else None  # who sits at the keyboard
        self._heard = dict.fromkeys(session.people, (0, 0))  # the round, and how many of its events each was told
        self._hands = Hands()
        self._commands: dict[str, Callable[[str], int]] = {
            "line": self._line_up,
            "hint": self._hint,
            "undo": self._undo,
            "board": self._board,
            "score": self._score,
            "why": self._why_not,
            "save": self._save,
            "help": self._help,
            "quit": lambda _: _LEAVE,
        }

    @property
    def _width(self) -> int:
        return max(40, min(self.console.width, _WIDEST))

    def _say(self, text: str) -> None:
        self.entries.say(text)

    def play(self) -> int:
        """Play until the game is over or somebody leaves; return the exit status."""
        seats = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(self.session.names))
        self._say(f"at the table: {seats}\n`help` lists what you can enter")
        status = 0
        try:
            self._loop()
        except KeyboardInterrupt:
            status = 130
            self._say("\ninterrupted")
        finally:
            self.session.close()
        self._part()
        return status

    def _loop(self) -> None:
        while True:
            self.session.go_on()
            if self.session.now.round_over:
                if not self._between():
                    return
            elif not self._turn(self.session.now.seat):
                return

    # ── A choice ──────────────────────────────────────────────────────────────────────────────────────────

    def _turn(self, seat: int) -> bool:
        """Tell a person what has happened, and ask; return False if they leave."""
        if seat != self._viewer and not self._pass_to(seat):
            return False
        self._tell(seat)
        self._board()
        while (entry := self.entries.read(f"{self.session.names[seat]}> ")) is not None:
            where = self._follow(entry, self._act)
            if where != _STAY:
                return where == _ON
        return False

    def _follow(self, entry: str, otherwise: Callable[[str], int]) -> int:
        """Follow an entry; what is no command is for `otherwise`. Nothing entered leads to an exception."""
        word, _, rest = entry.partition(" ")
        word = {"?": "help", "exit": "quit", "q": "quit", "lineup": "line", "whynot": "why"}.get(word.lower(), word)
        try:
            command = self._commands.get(word.lower())
            return otherwise(entry) if command is None else command(rest.strip())
        except (EntryError, IllegalAction) as error:
            self._say(str(error))
            return _STAY

    def _act(self, entry: str) -> int:
        session = self.session
        if not entry:
            return _STAY
        if entry[0].isalpha() and entry.lower() != "pass":
            raise unknown(entry, COMMANDS)
        seat = session.now.seat
        action = read_action(entry, session.legal(), seat, session.names)
        if reason := session.why_not(action):
            raise EntryError(f"{reason}; `board` shows what you can do")
        session.choose(action)
        self._keep()
        return _ON

    def _pass_to(self, seat: int) -> bool:
        """Hide what the last person saw, and wait for the next."""
        if self._viewer is not None:
            self._hide()
        self._viewer = None
        name = self.session.names[seat]
        entry = self.entries.read(f"pass the keyboard to {name}; {name}, press Enter ")
        if entry is None or entry.lower() in ("quit", "exit", "q"):
            return False
        self._hide()
        self._viewer = seat
        return True

    def _hide(self) -> None:
        """Take what was printed off the screen, where there is one."""
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self.console.file.write("\x1b[2J\x1b[3J\x1b[H")
        elif self.console.is_terminal:
            self.console.file.write("\n" * 100)

    # ── What is told ──────────────────────────────────────────────────────────────────────────────────────

    def _tell(self, seat: int | None) -> None:
        """Tell what a seat has not heard of this round. None: tell all what some have not heard and all may hear."""
        number = self.session.now.number
        told = [self._heard[each] for each in (self._heard if seat is None else (seat,))]
        since = min(n if at == number else 0 for at, n in told)
        if not since:
            self._say(f"\n{round_words(self.session, seat)}")
        for line in news(self.session, seat, since):
            self._say(textwrap.fill(line, self._width, subsequent_indent="    ", break_on_hyphens=False))
        for each in self._heard if seat is None else (seat,):
            self._heard[each] = (number, len(self.session.now.events))

    def _board(self, _: str = "") -> int:
        """Print the table as the person sees it, the hand and the actions."""
        session = self.session
        if session.now.round_over:
            return self._score()
        seat = session.now.seat
        seen = session.observation(seat)
        stream = self.console.file
        colour = self.console.color_system is not None and not self.console.no_color
        board = Board(seen, seat, self._last(seat), session.names)
        text = board.text(colour, self._width, getattr(stream, "encoding", None) or "ascii")
        self._say("")
        self.console.print(text, markup=False, emoji=False, soft_wrap=True)
        self._say(f"\nyour hand: {self._hands.text(seen, seat)}\n")
        self._say(listed(session.legal(), seat, session.names, self._width))
        return _STAY

    def _last(self, seat: int) -> Event | None:
        """Return the last event, if the seat saw all of it."""
        for _, event in self.session.seen(seat, max(0, len(self.session.now.events) - 1)):
            return None if event[1:] == ["draw"] else event
        return None

    # ── Between rounds ────────────────────────────────────────────────────────────────────────────────────

    def _between(self) -> bool:
        """Show how the round ended, and wait; return False if the game is over or somebody leaves."""
        session = self.session
        alone = len(session.people) == 1
        if not alone:
            self._hide()
            self._viewer = None
        self._tell(session.people[0] if alone else None)
        self._keep()
        s = session.now.position[0]
        out = [name for seat, name in enumerate(session.names) if s.over == OUT and s.count[seat] == 0]
        how = f"{out[0]} went out" if out else "nobody can play any more"
        self._say(f"\nround {session.now.number} is over: {how}")
        self._score()
        if session.over:
            self._say(self._result())
        prompt = "Enter ends the game> " if session.over else f"Enter deals round {session.now.number + 1}> "
        while (entry := self.entries.read(prompt)) is not None:
            where = _ON if not entry else self._follow(entry, self._nothing_to_do)
            if where == _LEAVE:
                return False
            if where == _ON and session.now.round_over and session.over:
                return False
            if where == _ON:
                if session.now.round_over:
                    session.next_round()
                return True
        return False

    def _nothing_to_do(self, entry: str) -> int:
        if entry.partition(" ")[0].isalpha():
            raise unknown(entry, COMMANDS)
        raise EntryError("the round is over; press Enter, or `help`")

    def _result(self) -> str:
        session = self.session
        pips = [round_["scores"] for round_ in session.now.rounds]
        placed = ranks(np.array(pips), session.rules.tie_break)
        first = [name for name, rank in zip(session.names, placed, strict=True) if rank == 1]
        return f"the game is over: {' and '.join(first)} {'wins' if len(first) == 1 else 'share the win'}"

    # ── Commands ──────────────────────────────────────────────────────────────────────────────────────────

    def _asked(self) -> int:
        """Return the seat of the person who is asked for an action."""
        if self.session.now.round_over:
            raise EntryError("the round is over; press Enter to go on")
        return self.session.now.seat

    def _line_up(self, rest: str) -> int:
        if rest.lower() not in ("", "up", "up tiles", "up pips"):
            raise EntryError("it is `line up`, or `line up pips`")
        seat = self._asked()
        seen = self.session.observation(seat)
        self._say(self._hands.line_up(seen, seat, "pips" if rest.lower().endswith("pips") else "tiles"))
        return _STAY

    def _hint(self, rest: str) -> int:
        seat = self._asked()
        session = self.session
        legal = session.legal()
        found = session.hint()
        texts = [action_text(action, len(session.names)) for action in legal]
        words = [f"{'' if action.is_pass else 'lay '}{action_words(action, seat, session.names)}" for action in legal]
        rows = [[plain(cell, self.console.file) for cell in row] for row in hint_rows(found, texts, words)]
        headings = ["", "action", f"{found.unit}/round", "more than the best", "goes out"]
        self.console.print(table(headings, rows))
        self._say(f"on average over {found.worlds} sampled deals that agree with all you know; ±: 95 % intervals")
        return _STAY

    def _undo(self, rest: str) -> int:
        session = self.session
        seat = None if session.now.round_over else session.now.seat
        before, choices = session.now, list(session.past)
        if not session.undo(seat):
            raise EntryError("there is nothing to undo: you have chosen nothing yet")
        now = session.now
        back = (now.number, len(now.events))
        self._heard = {each: min(heard, back) for each, heard in self._heard.items()}
        rounds = "" if now.number == before.number else f" in round {now.number}"
        others = {session.names[gone.seat] for gone in choices[len(session.past) :]} - {session.names[now.seat]}
        too = f"; {' and '.join(sorted(others))} will have to choose again" if others else ""
        self._say(f"back to {'your' if seat is not None else 'the'} last choice{rounds}{too}")
        self._keep()
        return _ON

    def _score(self, _: str = "") -> int:
        headings, rows = score_rows(self.session.now.rounds, self.session.names)
        stream = self.console.file
        if rows:
            self.console.print(table([escape(plain(name, stream)) for name in headings], rows))
        else:
            self._say("no round is over yet")
        return _STAY

    def _why_not(self, rest: str) -> int:
        seat = self._asked()
        session = self.session
        text = rest[4:].strip() if rest.lower().startswith("not ") or rest.lower() == "not" else rest
        if not text:
            raise EntryError("`why not` takes an action, like why not 12-7@2")
        action = read_action(text, session.legal(), seat, session.names)
        reason = session.why_not(action)
        self._say(reason or f"it is allowed: {action_words(action, seat, session.names)}")
        return _STAY

    def _help(self, _: str = "") -> int:
        self._say(HELP)
        return _STAY

    # ── Keeping ───────────────────────────────────────────────────────────────────────────────────────────

    def _save(self, rest: str) -> int:
        if rest:
            path = Path(rest)
            if path != self._file and path.exists():
                raise EntryError(f"{rest} is there already; name a new file")
        elif self._file is None:
            raise EntryError("`save` takes the name of a file, like save game.jsonl")
        else:
            path = self._file
        try:
            saved.write(path, self.session, self._agents_from)
        except (OSError, ValueError) as error:
            raise EntryError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
        self._file = path
        self._say(f"saved in {path}")
        return _STAY

    def _keep(self) -> None:
        """Save, if a file keeps the game."""
        if self._file is None:
            return
        try:
            saved.write(self._file, self.session, self._agents_from)
        except OSError as error:
            self._say(f"! the game is not saved: {self._file} cannot be written: {error.strerror}")

    def _part(self) -> None:
        """Say where the game is, and how to go on with it."""
        self._keep()
        if self._file is None:
            self._say("the game is not saved (--save FILE keeps one)")
        elif self.session.over:
            how = shlex.join(["mtrain", "replay", str(self._file), "--show"])
            self._say(f"the record is in {self._file}; `{how}` tells the game")
        else:
            how = shlex.join(["mtrain", "play", "--resume", str(self._file)])
            self._say(f"the game is in {self._file}; `{how}` goes on with it")
