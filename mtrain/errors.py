"""The two ways in which mtrain gives up, each with one sentence for the person who asked."""


class Mistake(ValueError):
    """What was asked for cannot be done; nothing has been spent. The command line ends with status 2."""


class Trouble(RuntimeError):
    """The work found something wrong. The command line ends with status 1."""
