"""One writer a directory: a lock that a process holds while it lives, and no longer.

The lock is the operating system's, on a file named `.lock`; the file's text only says who holds it. A process that
dies, however it dies, holds nothing. Nothing here knows what is in the directory.
"""

import contextlib
import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from mtrain.errors import Mistake

FILE = ".lock"

try:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _lock(file: int) -> None:
        # The byte lies far behind the text: other processes cannot read what is locked.
        os.lseek(file, 1 << 20, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        os.lseek(file, 0, os.SEEK_SET)


class Locked(Mistake):
    """Another process writes to the directory."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Be the only one who writes to a directory.

    Raises
    ------
    Locked
        If another process is; the sentence names it.
    OSError
        If the directory cannot be written to.
    """
    path = folder / FILE
    file = _taken(path)
    try:
        os.truncate(file, 0)
        os.write(file, f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield
    finally:
        if os.name == "posix":  # while it is locked: whoever waits finds another file, and tries again
            path.unlink(missing_ok=True)
        os.close(file)
        if os.name != "posix":
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _taken(path: Path) -> int:
    """Return the open, locked file."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            who = os.read(file, 200).decode(errors="replace").strip() or "another process"
            os.close(file)
            raise Locked(f"{path.parent} is being written to by {who}; two runs cannot share a directory") from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                os.close(file)
                raise
            return file  # a file system without locks: nobody can be kept out
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        os.close(file)  # its last holder has removed it meanwhile
