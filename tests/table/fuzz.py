"""Spoilt files in numbers: cells, lines and bytes of good files exchanged for others, by a seed."""

import gzip
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

import numpy as np

from riskkit.errors import InputError
from riskkit.table.load import load
from riskkit.table.read.files import read_file
from riskkit.table.text import Limits
from tests.table.corpus import B4, CORPUS
from tests.table.files import CANARY

LONGEST = 10
"""Seconds that one pair may take."""
LIMITS = Limits(size=4_000_000)
CELLS = (
    "",
    " ",
    "NA",
    "null",
    "#N/A",
    "\\N",
    "<NA>",
    "NaT",
    "?",
    "-",
    ".",
    "0",
    "-0",
    "1e400",
    "-inf",
    "nan",
    "0x1F",
    "1_000",
    "1,5",
    "12,345",
    "1.234,5",
    "$1",
    "5 kg",
    "9" * 400,
    "1" * 4_400,
    "=cmd|calc",
    '="007"',
    "'007",
    "+",
    "@SUM(A1)",
    "2020-02-30",
    "01/02/2020",
    "31.12.9999",
    "28/02/20",
    "43861",
    "True",
    "false",
    "TRUE",
    "ja",
    "\u200b",
    "\ufeff",
    "e\u0301",
    "\u202eabc",
    "\u00a0",
    "\u0661\u0662",
    "\uff11",
    "\U0001f600",
    "\x1c",
    "\x85",
    "\u2028",
    "\x0b",
    "\x7f",
    '"',
    '""',
    '"a',
    'a"b',
    "a\nb",
    "\r",
    "\t",
    ";",
    "|",
    ",",
    "[1, 2]",
    '{"a": 1}',
    "<b>",
    "{0}",
    "%s",
    "\\",
    "Total",
    "x" * 3_000,
    "unnamed: 0",
    "__index_level_0__",
    "column 1",
    "\ud7ff",
    "ﬁ",
    "İ",
    "ß",
    "ǆ",
)
ENCODINGS = ("latin-1", "utf-16", "utf-16-le", "utf-32", "cp932", "gb18030", "utf-8-sig", "utf-7")
BYTES = (
    b"\0",
    b"\xff",
    b"\xfe\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xe9",
    b"\x81",
    b"\xe5\x90",
    b"\r",
    b"\n",
    b"\r\n",
    b'"',
    b",",
    b";",
    b"\t",
    b"PAR1",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"sep=;\n",
    b"\x1a",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
)
SEEDS = [
    source
    for number, case in CORPUS.items()
    for source in (case.real, case.synthetic)
    if source and len(source) < 40_000 and number not in ("46b", "46c")
]
KEPT = [
    case
    for number, case in B4.items()
    if case.synthetic is not None and len(case.real) < 40_000 and number not in ("46b", "46c")
]
"""Pairs; not those in which the cell that must not be told is a name, which may be told."""


class HangError(BaseException):
    """It took too long; no ``except Exception`` on the way swallows it."""


@dataclass(slots=True)
class Tally:
    """What became of the pairs."""

    answers: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0

    @property
    def memory(self) -> float:
        """The most memory of this process so far, in MB."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def spoilt(source: bytes, rng: np.random.Generator) -> bytes:
    """The file after one to five changes."""
    for _ in range(int(rng.integers(1, 5))):
        source = CHANGES[int(rng.integers(len(CHANGES)))](source, rng)
    return source


def _place(source: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(source) + 1))


def _exchanged(source: bytes, rng: np.random.Generator) -> bytes:
    """Some bytes exchanged for others."""
    content = np.frombuffer(source, dtype=np.uint8).copy()
    if len(content):
        content[rng.integers(len(content), size=int(rng.integers(1, 9)))] = rng.integers(256)
    return content.tobytes()


def _inserted(source: bytes, rng: np.random.Generator) -> bytes:
    place = _place(source, rng)
    return source[:place] + BYTES[int(rng.integers(len(BYTES)))] + source[place:]


def _cut(source: bytes, rng: np.random.Generator) -> bytes:
    first, last = sorted((_place(source, rng), _place(source, rng)))
    return source[first:last] if rng.random() < 0.2 else source[:first] + source[last : last + len(source)]


def _doubled(source: bytes, rng: np.random.Generator) -> bytes:
    first, last = sorted((_place(source, rng), _place(source, rng)))
    return source[:last] + source[first:last] * int(rng.integers(1, 4)) + source[last:]


def _celled(source: bytes, rng: np.random.Generator) -> bytes:
    """Cells of a column or of anywhere exchanged for an odd one."""
    lines = source.split(b"\n")
    cell = CELLS[int(rng.integers(len(CELLS)))].encode()
    if rng.random() < 0.8:
        cell = b'"' + cell.replace(b'"', b'""') + b'"'
    column, share = int(rng.integers(4)), rng.choice([0.02, 0.5, 1.0])
    for line in range(int(rng.random() < 0.8), len(lines)):
        cells = lines[line].split(b",")
        if column < len(cells) and rng.random() < share:
            cells[column] = cell
            lines[line] = b",".join(cells)
    return b"\n".join(lines)


def _coded(source: bytes, rng: np.random.Generator) -> bytes:
    encoding = ("latin-1", "utf-16", "utf-16-le", "utf-32", "cp932", "gb18030", "utf-8-sig", "utf-7")[
        int(rng.integers(8))
    ]
    return source.decode("utf-8", "replace").encode(encoding, "replace")


def _packed(source: bytes, rng: np.random.Generator) -> bytes:
    return gzip.compress(source, 1, mtime=0) if rng.random() < 0.3 else source.replace(b",", b";")


CHANGES = (_exchanged, _inserted, _cut, _doubled, _coded, _packed, *[_celled] * 9)


def pairs(count: int, seed: int) -> Iterator[tuple[bytes, bytes | None]]:
    """Spoilt files: alone, beside a good one, and both."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        case = KEPT[int(rng.integers(len(KEPT)))]
        if number % 3 == 0:
            yield spoilt(SEEDS[int(rng.integers(len(SEEDS)))], rng), None
        elif number % 3 == 1:
            yield case.real, spoilt(case.synthetic or b"", rng)
        else:
            yield spoilt(case.real, rng), spoilt(case.synthetic or b"", rng)


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise :class:`HangError` where the block takes longer."""

    def ring(_: int, __: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def played(count: int, seed: int) -> Tally:
    """Read that many spoilt pairs as an audit does."""
    tally = Tally()
    for number, (real, synthetic) in enumerate(pairs(count, seed)):
        started = time.perf_counter()
        try:
            with limited(LONGEST):
                sentences = _read(real, synthetic)
            tally.answers["read"] += 1
        except InputError as error:
            sentences = [str(error)]
            tally.answers[error.problem.code] += 1
        except (Exception, HangError) as error:  # noqa: BLE001  every other error is a fault, whatever it is
            place = traceback.extract_tb(error.__traceback__)[-1]
            tally.faults.append(f"{number}: {type(error).__name__} at {place.name}:{place.lineno}")
            continue
        if any(CANARY in sentence for sentence in sentences):
            tally.faults.append(f"{number}: a cell in {next(s for s in sentences if CANARY in s)[:300]}")
        tally.slowest = max(tally.slowest, time.perf_counter() - started)
    return tally


def _read(real: bytes, synthetic: bytes | None) -> list[str]:
    texts = [
        None if source is None else read_file(source, name=name, limits=LIMITS)
        for source, name in ((real, "real.csv"), (synthetic, "release.csv"))
    ]
    assert texts[0] is not None
    return [problem.sentence() for problem in load(texts[0], texts[1], least_rows=1).problems]


if __name__ == "__main__":
    done = played(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.write(f"{done.answers.most_common(12)}\n{len(done.faults)} faults, slowest {done.slowest:.1f} s, ")
    sys.stdout.write(f"{done.memory:.0f} MB\n" + "\n".join(done.faults[:40]) + "\n")
