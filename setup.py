"""The compiled core, which pyproject.toml cannot declare: built where there is a compiler of C.

Where there is none, or it fails, installing goes on, and all is pure Python; ``relayish --version``
says which. ``RELAYISH_PURE=1`` leaves it out, and what is built is a wheel for every platform.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from glob import glob

from setuptools import Extension, setup

IS_WANTED = os.environ.get("RELAYISH_PURE", "0") in ("", "0")
CAN_BE = (  # as kernel.h says
    sys.implementation.name == "cpython"
    and (3, 11) <= sys.version_info < (3, 14)
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
CORE = Extension(
    "relayish._kernel._compiled",
    sorted(glob("relayish/_kernel/*.c")),  # noqa: PTH207 - as setuptools wants it: relative
    depends=sorted(glob("relayish/_kernel/*.h")),  # noqa: PTH207
    optional=True,
)

setup(ext_modules=[CORE] if IS_WANTED and CAN_BE else [])
