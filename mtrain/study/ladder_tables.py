"""The tables of difficulty levels: every column's name, type, unit and meaning, written once.

A curve of strength along a dial, the probes that it was drawn through, and the steps of a ladder of levels. Nothing
here knows how a number of theirs is found, or what a dial turns.
"""

from __future__ import annotations

from mtrain.study.tables import Column, Table, interval

CURVE = Table("curve", "position", ("at",), (
    Column("at", "Float64", "position of the dial: 0 is unweakened, 1 is weakest", "dial"),
    *interval("value", "what the curve through all probes has there", "as probed", ""),
))  # fmt: skip

PROBES = Table("probes", "probe", ("at", "deals", "agent"), (
    Column("at", "Float64", "position of the dial: 0 is unweakened, 1 is weakest", "dial"),
    Column("agent", "str", "label of the agent that was measured"),
    Column("deals", "int32", "set of deals; probes of one set are paired deal by deal"),
    Column("blocks", "int32", "blocks behind the number", "blocks"),
    *interval("value", "mean of this probe's blocks alone", "as probed", ""),
    Column("note", "str", "why an interval is absent, else empty"),
))  # fmt: skip

STEPS = Table("steps", "neighbouring levels", ("level", "below"), (
    Column("level", "str", "the level meant to be stronger"),
    Column("below", "str", "the level next to it, meant to be weaker"),
    Column("blocks", "int32", "blocks that both played", "blocks"),
    *interval("gap", "pips by which the level is better than the one below, deal by deal", "pips/round"),
    Column("p", "Float64", "least level at which the gap's sign is claimed: two-sided, by Holm over all steps"),
    Column("distinct", "bool", "are the two told apart, in whichever order, at 5 % for all steps together?"),
    Column("needed", "Float64", "blocks with which a gap of this size is told with power 0.9", "blocks"),
    *interval("off", "gap minus the mean gap of the ladder", "pips/round"),
    Column("even", "bool", "may the step be as large as the mean step: does the interval of off hold 0?"),
    Column("note", "str", "what is wrong with the step, or why a number is absent, else empty"),
))  # fmt: skip
