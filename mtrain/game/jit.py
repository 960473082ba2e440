"""How kernels are compiled and cached.

A kernel is a plain function that `kernel` compiles: scalars, arrays and State records in, no checks, no
allocation in loops. Machine code is kept in a folder for each file of kernels, named after what it depends on: a
changed helper never meets stale code, and a comment compiles nothing again. A torn file is rebuilt, and a machine
without a writable folder goes on without a cache. This module knows nothing of dominoes.
"""

# mypy: implicit-reexport

import contextlib
import functools
import hashlib
import importlib.machinery
import os
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import llvmlite
import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache

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


# What machine code depends on besides its source.
_VERSIONS = (sys.version, numba.__version__, np.__version__, llvmlite.__version__)
_SETTINGS = (numba.config.BOUNDSCHECK, numba.config.OPT, numba.config.CPU_NAME)

_PACKAGE = Path(__file__).parents[1]


@functools.cache
def _writable() -> Path | None:
    """Return the folder under which kernels can be kept, made if need be; None where there is none."""
    folder = _base()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        _Once.say(
            f"no writable cache folder {folder} ({error.strerror}); "
            "set MTRAIN_CACHE_DIR to one, or wait for the compiler at every start"
        )
        return None


@functools.cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return what a file of Python does, as bytes, and which files of mtrain it imports from.

    What does not change what it does is not in it: comments, layout, the numbers of lines.
    """
    loader = importlib.machinery.SourceFileLoader(path.stem, str(path))
    code = loader.get_code(path.stem)
    assert code is not None
    named = {name for name in code.co_names if name.split(".")[0] == _PACKAGE.name}
    named |= {f"{name}.{below}" for name in named for below in code.co_names}
    files = {_PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in named}
    return _plain(code).encode(), tuple(sorted(file for file in files if file.is_file()))


def _plain(value: Any) -> str:
    """Return a constant of compiled Python as text that is the same in every process."""
    if isinstance(value, types.CodeType):
        names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_flags
        return f"{value.co_code.hex()} {value.co_exceptiontable.hex()} {names} {_plain(value.co_consts)}"
    if isinstance(value, tuple):
        return f"({','.join(map(_plain, value))})"
    if isinstance(value, frozenset):
        return f"{{{','.join(sorted(map(_plain, value)))}}}"
    return repr(value)


@functools.cache
def fingerprint(file: Path) -> str:
    """Return a short hash of what the kernels of a file depend on: it, the files of mtrain below it, the machine.

    Of a file that is not mtrain's, the files beside it count, too: its helpers.
    """
    left = [file] if _PACKAGE in file.parents else sorted({file, *file.parent.glob("*.py")})
    does: dict[Path, bytes] = {}
    while left:
        if (path := left.pop()) not in does:
            with contextlib.suppress(SyntaxError, ValueError):  # a file beside an agent may be anything
                does[path], below = _read(path)
                left += below
    known = hashlib.sha256(repr((*_VERSIONS, *_SETTINGS)).encode())
    for path in sorted(does, key=lambda path: (path.name, does[path])):
        known.update(path.name.encode() + does[path])
    return known.hexdigest()[:16]


class _Place:
    """Where the machine code of one kernel is kept: what numba calls a locator.

    The folder is named by the fingerprint, so whatever is in it fits.
    """

    def __init__(self, function: Callable[..., Any], file: Path, folder: Path) -> None:
        self._py_file = str(file)
        self.folder = folder / f"{file.stem}-{fingerprint(file)}"
        self.which = hashlib.sha256(_plain(function.__code__).encode()).hexdigest()[:8]

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Place | None":
        there = _writable()
        return cls(function, Path(file).resolve(), there) if there and Path(file).is_file() else None

    def ensure_cache_path(self) -> None:
        self.folder.mkdir(exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return self.which  # a file may hold several functions of one name


class _Once:
    """Sentences already said by this process: each is worth saying once."""

    said: ClassVar[set[str]] = set()

    @classmethod
    def say(cls, sentence: str) -> None:
        if sentence not in cls.said:
            cls.said.add(sentence)
            say(sentence)


class _KeptInPlace(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar[list[Any]] = [_Place]


class _HealingCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, except that a torn or unwritable file costs a compilation, not the run."""

    _impl_class = _KeptInPlace

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


if TYPE_CHECKING:
    # Kernels have no annotations, since numba gives them their types: type checkers leave them alone.
    from typing import no_type_check as kernel
else:

    def kernel(function: Callable[..., Any]) -> Any:
        """Compile `function` when first called; if it lies in a file, keep the machine code for the next process."""
        if not JIT:
            return function
        compiled = numba.njit(nogil=True)(function)
        with contextlib.suppress(RuntimeError):  # what cannot be kept is compiled anew each time
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
