"""Words: numbers of things as a sentence says them. Nothing here knows what is counted."""


def counted(n: int, thing: str) -> str:
    """Return a number of things, the thing named in the singular: "1 block", "1,000 blocks"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
