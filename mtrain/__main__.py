"""``python -m mtrain`` is the command ``mtrain``."""

from mtrain.cli import main

main()
