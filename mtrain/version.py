"""The version of mtrain: it moves with every release."""

__version__ = "0.1.0"
