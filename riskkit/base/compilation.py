"""How loops are compiled. Imported only by the files of loops, and those only when they are needed."""

from __future__ import annotations

import hashlib
import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, codegen

_CODE: Any = codegen
_CACHING: Any = caching
_SETTINGS: Any = numba.config


def compile_loop(function: Any) -> Any:
    """The function as machine code that runs beside other threads, kept on disk where a place for that can be found."""
    return _keep_on_disk(numba.njit(nogil=True)(function))


def compile_fused(function: Any) -> Any:
    """As :func:`compile_loop`, a product and the sum it goes into rounded once where the processor can: half the work.

    For sums whose last bit depends on the linear algebra of the machine anyway.
    """
    return _keep_on_disk(numba.njit(nogil=True, fastmath={"contract"})(function))


def _keep_on_disk(loop: Any) -> Any:
    if _SETTINGS.DISABLE_JIT:  # whoever looks for a fault has loops run as Python
        return loop
    with suppress(RuntimeError):  # neither the package's folder nor the user's cache can be written
        loop._cache = CodeOnDisk(loop.py_func)
    return loop


class CodeFile(_CACHING.IndexDataCacheFile):  # type: ignore[misc]
    """Machine code of one function, each piece in a file whose name says all that it was made from.

    numba numbers its files, and says in an index which number belongs to which types. Two programs that compile one
    function at the same time, for other types each, may both take the next number, and from then on every program runs
    the code of the one with the types of the other: numbers that are wrong without an error. Also the index is written
    first: whoever reads it before the code is there, or after a program was killed in between, takes what an older
    source left under that number. Here no file ever stands for two things, so there is nothing to agree on.
    """

    constants: tuple[tuple[str, Any], ...] = ()
    """Numbers that the file of the function takes from others: they are in the code, and not in that file."""

    def save(self, key: Any, data: Any) -> None:
        """Keep the code; a full disk is no reason to stop, the next program compiles it again."""
        with suppress(OSError):
            self._save_data(self._name(key), (self._origin(key), data))

    def load(self, key: Any) -> Any:
        """The code that was made from this, or None; a file that a power cut left damaged is none."""
        with suppress(Exception):  # whatever its bytes make the reader raise
            made_from, data = self._load_data(self._name(key))
            if made_from == self._origin(key):
                return data
        return None

    def _origin(self, key: Any) -> tuple[Any, ...]:
        return self._version, self._source_stamp, self.constants, key

    def _name(self, key: Any) -> str:
        digest = hashlib.sha256(repr(self._origin(key)).encode()).hexdigest()
        return f"{self._index_name.removesuffix('.nbi')}.{digest[:32]}.nbc"


class CodeOnDisk(_CACHING.FunctionCache):  # type: ignore[misc]
    """Where the machine code of one function is kept: in a :class:`CodeFile` by what its source says.

    numba goes by the time and the place of the source, so that a second copy of the same files compiles all of it
    again; and it does not see that a loop of another file, which is part of the code, has changed. Where the steward
    names a folder (``NUMBA_CACHE_DIR``), every copy of riskkit finds there what another one has compiled.
    """

    _cache_path: str

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        numbers = (item for item in function.__globals__.items() if isinstance(item[1], bool | int | float))
        if _SETTINGS.CACHE_DIR and self._cache_path.startswith(_SETTINGS.CACHE_DIR):
            self._cache_path = _SETTINGS.CACHE_DIR
        self._cache_file = CodeFile(self._cache_path, self._impl.filename_base, _source(function))
        self._cache_file.constants = tuple(sorted(numbers))
        self.source = self._cache_file._source_stamp


def _source(function: Any) -> str:
    """The hash of the file of the function, and of those of the loops that it may call."""
    loops = (getattr(value, "_cache", None) for value in function.__globals__.values())
    called = sorted({loop.source for loop in loops if isinstance(loop, CodeOnDisk)})
    text = Path(inspect.getfile(function)).read_bytes()
    return hashlib.sha256(text + "".join(called).encode()).hexdigest()


def _use_whole_registers() -> None:
    """Let loops use registers of 512 bits where there are any: half of them otherwise, though results are the same.

    The compiler holds back for the sake of old processors, whose clock slowed down. A steward who set features has the
    last word.
    """
    if _SETTINGS.CPU_FEATURES is None and _SETTINGS.CPU_NAME is None:
        features: str = _CODE.get_host_cpu_features()
        if "+avx512f" in features:
            _SETTINGS.CPU_FEATURES = f"{features},-prefer-256-bit"


_use_whole_registers()
