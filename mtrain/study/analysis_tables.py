"""The tables of analysis: every column's name, type, unit and meaning, written once.

What the actions of a position come to, what agents would do there, the decisions of a game and what they cost, and
what of a score was luck. Nothing here knows how a number of theirs is found.
"""

from __future__ import annotations

from mtrain.study.tables import Column, Table, interval

_ROUND = Column("round", "int8", "round of the game, from 1")
_SEAT = Column("seat", "int8", "place at the table, from 0")
_AGENT = Column("agent", "str", "the agent in the seat, as the record names it")
_FOLLY = Column(
    "folly", "str", "stays_in: another goes out; passes: a tile could be laid; leaves_marked: closing is free; or empty"
)
_DECISIONS = Column("decisions", "int32", "choices of the seat among two actions or more", "decisions")

ACTIONS = Table("actions", "legal action", ("action",), (
    Column("action", "str", "the action; rows go from the best to the worst"),
    *interval("pips", "mean score of the round over the worlds; lower is better, all intervals together", "pips/round"),
    Column("error", "Float64", "standard error of pips", "pips/round"),
    *interval("diff", "pips minus those of the best action, world by world, all intervals together", "pips/round"),
    Column("diff_error", "Float64", "standard error of diff", "pips/round"),
    *interval("out", "share of worlds in which the seat goes out", "share of worlds"),
    Column("worlds", "int32", "worlds in which it was tried", "worlds"),
    Column("agents", "str", "labels of the agents that would do it"),
    _FOLLY,
    Column("note", "str", "why an interval is absent, else empty"),
))  # fmt: skip

CHOICES = Table("choices", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("action", "str", "what it would do; empty if it failed"),
    Column("diff", "Float64", "what that costs more than the best action", "pips/round"),
    Column("note", "str", "how it failed, else empty"),
))  # fmt: skip

DECISIONS = Table("decisions", "decision", ("round", "event"), (
    _ROUND,
    Column("event", "int16", "which of the round's events in the record, from 0"),
    Column("turn", "int16", "turn of the seat in the round, from 1"),
    _SEAT, _AGENT,
    Column("actions", "int16", "legal actions", "actions"),
    Column("done", "str", "the action done"),
    Column("best", "str", "the action that comes off best over all worlds"),
    *interval("regret", "what the action done costs more than the best, as halves of the worlds judge", "pips/round"),
    Column("error", "Float64", "standard error of regret", "pips/round"),
    *interval("skill", "what it costs more than the reference's own choice", "pips/round"),
    _FOLLY,
))  # fmt: skip

_PARTS = (
    Column("pips", "int32", "score; lower is better. It is the sum of par, deal_luck, draw_luck and skill", "pips"),
    *interval("par", "expected score of the seat before its tiles are dealt", "pips"),
    *interval("deal_luck", "what the hand dealt adds to that; below 0 it is a good one", "pips"),
    *interval("draw_luck", "what draws, the tiles of the others and their play add; below 0 is luck", "pips"),
    *interval("skill", "what its decisions add to what the reference's would; below 0 it played better", "pips"),
    *interval("regret", "what its decisions cost more than the best ones", "pips"),
    _DECISIONS,
)

PARTS = Table("luck", "round × seat", ("round", "seat"), (_ROUND, _SEAT, _AGENT, *_PARTS))

SUMMARY = Table("summary", "seat", ("seat",), (_SEAT, _AGENT, *_PARTS))
