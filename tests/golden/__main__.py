"""Write the manifest anew and print what moved: ``python -m tests.golden [PART ...]``, without a name all parts."""

import sys

from tests.processor import without_wide_registers

without_wide_registers()
from tests.golden.manifest import PARTS, compare, hashes, read, write  # noqa: E402  it imports numpy


def main(words: list[str]) -> None:
    """Make these parts anew."""
    parts = words or list(PARTS)
    before = read()
    now = {name: digest for name, digest in before.items() if not any(name.startswith(PARTS[part]) for part in parts)}
    for part in parts:
        now |= hashes(part)
    write(now)
    print("\n".join(compare(before, now)) or "Nothing moved.")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
