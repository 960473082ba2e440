"""Asking: how a built agent of any kind is asked about a batch of observations.

What it answers is handed on as it is; whether that is a legal action is for the game to say. A bot that fails costs
only the entries in which it does.
"""

import contextlib
from typing import Any

import numpy as np

from mtrain.bots.agent import BATCH, KERNEL, PROCESS, Bot
from mtrain.bots.faults import GARBAGE, RAISED, Unasked
from mtrain.game.notation import known_action
from mtrain.game.rng import Stream
from mtrain.game.state import AGENT_STATE


class _Garbage(ValueError):
    """An answer that is no whole number."""


def ask(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked] | None = None
) -> np.ndarray:
    """Ask an agent about a batch of observations.

    Parameters
    ----------
    bot
        Whom to ask.
    obs : STATE[n]
        What the seats on turn see; the whole States for a bot that peeks.
    actions : int64[n, m]
        Their legal actions, padded with 0.
    streams : uint64[n]
        Their streams, moved on in place; where the bot fails, as far as it drew.
    failed
        Where the failures are written, by entry; such an entry has the answer 0, which is never legal. None: the
        first of them is raised.

    Returns
    -------
    int64[n]
        Its answers, not yet checked against the legal actions.

    Raises
    ------
    Unasked
        If `failed` is None and the bot raises, an answer is no whole number, or a batch is answered with another
        number of answers; if a program gives no answer that can be used.

    Notes
    -----
    Who fails over a batch is asked again about each entry alone, so that only those are charged which fail by
    themselves. If none does, the first entry of the batch is charged, and what is said of it says so.
    """
    found: dict[int, Unasked] = {} if failed is None else failed
    how = {BATCH: _ask_together, KERNEL: _ask_kernel, PROCESS: _ask_program}.get(bot.how, _ask_singly)
    answers = how(bot, obs, actions, streams, found)
    if failed is None and found:
        raise found[min(found)]
    return answers


def _ask_together(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    n = len(obs)
    before = streams.copy()
    try:
        return _all_whole(bot.call(obs, actions, streams), n)
    except (Exception, SystemExit) as error:
        together = _unasked(0, error)
    answers = np.zeros(n, np.int64)
    if n > 1:
        streams[:] = before
        for i in range(n):
            alone = slice(i, i + 1)
            try:
                answers[alone] = _all_whole(bot.call(obs[alone], actions[alone], streams[alone]), 1)
            except (Exception, SystemExit) as error:
                failed[i] = _unasked(i, error)
    if not failed:
        together.said += f" (asked about {n} games at once; about each alone it answers)" if n > 1 else ""
        failed[0] = together
        answers[0] = 0
    return answers


def _ask_program(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    return np.asarray(bot.call(obs, actions, streams, failed))


def _ask_kernel(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    answers = np.zeros(len(obs), np.int64)
    agent_state = np.zeros(1, AGENT_STATE)
    agent_state[0].params[:] = bot.params
    for i in range(len(obs)):
        agent_state[0].rng = streams[i]
        try:
            answers[i] = bot.call(obs[i], agent_state[0])
        except Exception as error:
            failed[i] = _unasked(i, error)
        streams[i] = agent_state[0].rng
    return answers


def _ask_singly(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    answers = np.zeros(len(obs), np.int64)
    for i in range(len(obs)):
        rng = Stream(int(streams[i]))
        legal = tuple([known_action(a) for a in actions[i].tolist() if a])
        try:
            answers[i] = _whole(bot.call(obs[i], legal, rng))
            streams[i] = rng.state
        except (Exception, SystemExit) as error:
            failed[i] = _unasked(i, error)
            answers[i] = 0
            with contextlib.suppress(AttributeError, TypeError, ValueError, OverflowError):  # a bot may break its rng
                streams[i] = rng.state
    return answers


def _unasked(index: int, error: BaseException) -> Unasked:
    """Return an exception of a bot as the failure over one entry."""
    if isinstance(error, Unasked):
        error.index = index
        return error
    failed = Unasked(index, GARBAGE if isinstance(error, _Garbage) else RAISED)
    failed.__cause__ = error
    return failed


def _all_whole(answers: Any, n: int) -> np.ndarray:
    chosen = np.asarray(answers)
    if chosen.shape != (n,) or chosen.dtype.kind not in "iu":
        raise _Garbage(f"{n} whole numbers were asked for, not {chosen.dtype}{list(chosen.shape)}")
    return chosen.astype(np.int64)


def _whole(answer: Any) -> int:
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (int, np.integer)):
        raise _Garbage(f"an action is one of the whole numbers it was handed, not {answer!r}")
    return int(answer) if -(1 << 63) <= answer < 1 << 63 else 0
