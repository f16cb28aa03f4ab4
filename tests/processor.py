"""Numpy without AVX-512, which rounds logarithms in its own way: tests compare bytes on any processor."""

import os
import subprocess
import sys

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
FOUND = "import numpy; print(*numpy.show_config(mode='dicts')['SIMD Extensions']['found'])"
WIDE = ("AVX512", "X86_V4")
"""How the names of its features begin; numpy refuses, with a warning, to do without one that the processor lacks."""


def without_wide_registers() -> None:
    """Have this process and all that it starts do without what the processor has; too late where numpy is imported."""
    if VARIABLE in os.environ or "numpy" in sys.modules:
        return
    asked = subprocess.run([sys.executable, "-c", FOUND], capture_output=True, text=True, check=True)
    os.environ[VARIABLE] = " ".join(name for name in asked.stdout.split() if name.startswith(WIDE))
