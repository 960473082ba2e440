"""A browser without a window, where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

_FOUND = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


def dumped(page: Path, query: str = "") -> str:
    """Return a page as it stands once its scripts have run; skip the test where there is no browser."""
    if _FOUND is None:
        pytest.skip("no chromium or chrome on this machine: the page was not opened")
    command = [_FOUND, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={page.parent / 'profile'}"]
    ran = subprocess.run(
        [*command, "--window-size=1400,900", "--virtual-time-budget=30000", "--dump-dom", page.as_uri() + query],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
