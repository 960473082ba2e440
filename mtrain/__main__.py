"""``python -m mtrain`` is the command ``mtrain``."""

from mtrain.cli.main import main

main()
