"""Work directories: one writer each, and work that is gone on with only if it is the same work.

Whatever is kept in a directory says in a file there what it is: a run its manifest, a search or a tuning its spec. It
is opened in one way: is there room for it, who else writes there, is what is there the same, and what has a process
left behind that was killed. The lock is the operating system's, so that a process that dies, however it dies, holds
nothing. Nothing here knows what the work is.
"""

import contextlib
import errno
import json
import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from mtrain.errors import RunError, UsageError
from mtrain.stats import files

LOCK = ".lock"


class Locked(UsageError):
    """Another process writes to the directory."""


class Unwritten(RunError):
    """Results could not be written; those written before are kept."""


@dataclass(frozen=True)
class Kind:
    """A kind of work, and how one speaks of it.

    Attributes
    ----------
    file
        What says in a directory which work is kept there, as JSON.
    name, other
        ``run``, ``another run``.
    begun
        What is said of a directory that holds such work where none is to be gone on with.
    error
        What is raised.
    apart
        Returns in what a spec differs from that before in a place; "" where it does not.
    unlike
        Returns why what the file says is no spec of this kind; "" where it is one.
    """

    file: str
    name: str
    other: str
    begun: str
    error: type[UsageError]
    apart: Callable[[Mapping[str, Any], Mapping[str, Any], str], str]
    unlike: Callable[[Mapping[str, Any]], str] = lambda said: ""

    def read(self, out: Path) -> dict[str, Any] | None:
        """Return what a directory says of the work that it holds; None where it holds none of this kind."""
        file = out / self.file
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise self.error(f"{file} cannot be read: {error}") from None
        said = said if isinstance(said, dict) else {}
        if why := self.unlike(said):
            raise self.error(f"{file} is no {self.name}'s{why}")
        return said

    def ready(self, out: Path, resume: bool = False) -> None:
        """Make sure that a directory can be written to, and holds nothing but what may be gone on with."""
        try:
            names = {path.name for path in out.iterdir()} - {LOCK} if out.is_dir() else set()
            # What is left behind by work that was killed before it had said what it is.
            nameless = bool(names) and all(name.endswith(files.UNFINISHED) for name in names)
            before = self.read(out)
            if resume and names and before is None and not nameless:
                said = "holds a run, and" if "manifest.json" in names else "is not empty, and holds"
                raise self.error(f"{out} {said} no {self.name} to go on with")
            if not resume and (nameless or (before is not None and not before.get("finished"))):
                raise self.error(f"{out} is not empty: {self.begun}")
            if not resume and names:
                raise self.error(f"{out} is not empty; name a new directory, or empty it first")
            out.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=out):
                pass
        except OSError as error:
            raise self.error(f"cannot write to {out}: {error.strerror or error}") from None

    def agreed(self, out: Path, spec: Mapping[str, Any], resume: bool = True) -> dict[str, Any] | None:
        """Return what was written down of the same work before; if nothing was, write it down."""
        before = self.read(out)
        if before is None:
            files.put(out / self.file, to_bytes(spec))
        elif not resume:
            raise self.error(f"{out} is not empty: another {self.name} has just begun there")
        elif said := self.apart(spec, before, str(out)):
            raise self.error(f"{out} holds {self.other}: {said}")
        return before

    @contextlib.contextmanager
    def opened(self, out: Path, spec: Mapping[str, Any], resume: bool) -> Iterator[dict[str, Any] | None]:
        """Be the only one who works in a directory.

        Parameters
        ----------
        out
            The directory.
        spec
            What the work is.
        resume
            May the same work be there already?

        Yields
        ------
        dict or None
            What was written down of it before, if it was there.

        Raises
        ------
        UsageError
            The kind's own error, if the directory holds something else or cannot be used.
        Locked
            If another process writes to it.
        Unwritten
            If the disk is full or fails, now or while the work goes on.
        """
        self.ready(out, resume)
        with written(out), locked(out):
            before = self.agreed(out, spec, resume)
            for file in [*out.glob(f"*{files.UNFINISHED}"), *out.glob(f"*.parquet/*{files.UNFINISHED}")]:
                file.unlink(missing_ok=True)
            yield before


def to_bytes(spec: Mapping[str, Any]) -> bytes:
    """Return a spec as the bytes of its file."""
    return (json.dumps(spec, indent=2, ensure_ascii=False) + "\n").encode()


@contextlib.contextmanager
def written(out: Path) -> Iterator[None]:
    """Say in a sentence that a directory cannot be written to."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        said = f"cannot write to {out}: {error.strerror or error}{place}"
        raise Unwritten(f"{said}; what was finished before is kept") from error


@contextlib.contextmanager
def locked(out: Path) -> Iterator[None]:
    """Be the only one who writes to a directory; the text of the lock's file only says who holds it.

    Raises
    ------
    Locked
        If another process is; the sentence names it.
    OSError
        If the directory cannot be written to.
    """
    path, lock = out / LOCK, FileLock(out / LOCK, blocking=False, fallback_to_soft=False)
    try:
        lock.acquire()
        path.write_text(f"process {os.getpid()} on {socket.gethostname()}\n")
    except Timeout:
        who = ""
        with contextlib.suppress(OSError):
            who = path.read_text(errors="replace").strip()
        said = f"{out} is being written to by {who or 'another process'}; two runs cannot share a directory"
        raise Locked(said) from None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
            raise  # else a file system without locks: nobody can be kept out
    try:
        yield
    finally:
        if os.name == "posix":  # while it is locked: whoever waits finds another file, and tries again
            path.unlink(missing_ok=True)
        lock.release()
