"""How kernels are compiled and cached.

A kernel is a plain function that `kernel` compiles: scalars, arrays and State records in, no checks, no
allocation in loops. Machine code is kept in a cache folder named after everything it depends on, so that a
changed helper never meets stale code; a torn file in it is rebuilt, and a machine without a writable folder
goes on without a cache. This module knows nothing of dominoes.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import llvmlite
import numba
import numpy as np
from numba.core.caching import FunctionCache

JIT = not numba.config.DISABLE_JIT

if not JIT:
    # Plain NumPy scalars warn when unsigned arithmetic wraps; the random streams wrap by design.
    np.seterr(over="ignore")


def say(sentence: str) -> None:
    """Print one line of progress or warning to standard error."""
    print(f"mtrain: {sentence}", file=sys.stderr, flush=True)


# ── The cache ─────────────────────────────────────────────────────────────────────────────────────────────


def _base() -> Path:
    """Return the folder under which the compiled kernels are kept, by the habits of the system."""
    if named := os.environ.get("MTRAIN_CACHE_DIR"):
        return Path(named)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "mtrain" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mtrain"


def fingerprint(sources: Iterable[Path]) -> str:
    """Return a short hash of the named source files and of all else that machine code depends on."""
    known = hashlib.sha256(
        repr((sys.version, numba.__version__, np.__version__, llvmlite.__version__)).encode()
        + repr((numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.CPU_NAME)).encode()
    )
    for source in sorted(sources):
        known.update(source.name.encode() + source.read_bytes())
    return known.hexdigest()[:16]


def cache_folder(sources: Iterable[Path]) -> str | None:
    """Return a writable cache folder for these sources, made if need be; None where there is none."""
    folder = _base() / fingerprint(sources)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        _Once.say(
            f"no writable cache folder {_base()} ({error.strerror}); "
            "set MTRAIN_CACHE_DIR to one, or wait for the compiler at every start"
        )
        return None
    return str(folder)


class _Once:
    """Sentences already said by this process: each is worth saying once."""

    said: ClassVar[set[str]] = set()

    @classmethod
    def say(cls, sentence: str) -> None:
        if sentence not in cls.said:
            cls.said.add(sentence)
            say(sentence)


class _HealingCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, except that a torn or unwritable file costs a compilation, not the run."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # whatever a torn pickle raises: the file is only a cache
            _Once.say(f"a cached kernel could not be read ({type(error).__name__}); compiling it again")
            self._forget()
            found = None
        if found is None:
            _Once.say("compiling kernels, up to a minute at the very first run; they are kept for the next …")
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _Once.say(f"a compiled kernel could not be kept ({error}); it will be compiled again next time")

    def _forget(self) -> None:
        try:
            self.flush()
        except OSError:
            self._enabled = False


SOURCES = [path for wing in ("game", "think", "arena") for path in (Path(__file__).parents[1] / wing).glob("*.py")]
KERNEL_FOLDER = cache_folder(SOURCES) if JIT else None


def kernel(function: Callable[..., Any], folder: str | None = KERNEL_FOLDER) -> Any:
    """Compile `function` when it is first called; keep the machine code in `folder` (None: nowhere)."""
    if not JIT:
        return function
    compiled = numba.njit(nogil=True)(function)
    if folder is not None:
        numba.config.CACHE_DIR = folder
        with contextlib.suppress(RuntimeError):  # code that lies in no file is compiled anew each time
            compiled._cache = _HealingCache(function)
    return compiled


def addressed(kernels: Sequence[Any], signature: Any) -> Any:
    """Return kernels of one signature in the form in which `call` takes them: their addresses, as int64[n].

    Numba can hand functions to functions, but unpacks each anew at every call, for tens of µs.
    """
    if not JIT:
        return [harmless(function) for function in kernels]
    found = []
    for compiled in kernels:
        compiled.compile(signature)
        made = compiled.get_compile_result(signature)
        found.append(made.library.get_pointer_to_function(made.fndesc.llvm_cfunc_wrapper_name))
    return np.array(found, np.int64)


# ── Exceptions ────────────────────────────────────────────────────────────────────────────────────────────

_raised = threading.local()
_hooks: list[Any] = []
_changing = threading.Lock()


@contextlib.contextmanager
def swallowed() -> Iterator[list[BaseException]]:
    """Collect what kernels raise that are called by their address, in this thread.

    Machine code has no way to let such an exception out: the call returns 0, and numba hands the exception to
    ``sys.unraisablehook``, which would print it. In plain Python `harmless` makes kernels do the same.
    """
    before = getattr(_raised, "here", None)
    _raised.here = []
    with _changing:
        if not _hooks:
            _hooks.append(sys.unraisablehook)
            sys.unraisablehook = _collect
        _hooks.append(None)  # one for everyone inside
    try:
        yield _raised.here
    finally:
        _raised.here = before
        with _changing:
            _hooks.pop()
            if len(_hooks) == 1:
                sys.unraisablehook = _hooks.pop()


def _collect(unraised: Any) -> None:
    """Keep an exception that numba cannot let out for whoever waits for it; hand any other on."""
    here = getattr(_raised, "here", None)
    if here is not None and isinstance(unraised.object, str) and "CPUContext" in unraised.object:
        here.append(unraised.exc_value or unraised.exc_type())
    else:
        _hooks[0](unraised)


def harmless(function: Callable[..., int]) -> Callable[..., int]:
    """Return a kernel in plain Python as its machine code is: what it raises is kept by `swallowed`, the answer 0."""

    def called(*records: Any) -> int:
        try:
            return int(function(*records))
        except Exception as error:
            _raised.here.append(error)
            return 0

    return called
