"""The ONNX tests of nodes through ``emx-onnx-cgen``, whose verdicts stand beside those of ours.

python -m tests.support.emx_onnx verdicts.json   # in an environment that has emx-onnx-cgen
python -m tests.support.emx_onnx verdicts.json 2 6  # every sixth test, from the third on
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

FAILED = "generates, but differs or does not compile"


def verdict(main: Any, case: Any, folder: Path) -> str:
    """Return ``right``, or in which way a test is not."""
    from onnx import numpy_helper, save  # noqa: PLC0415 - as below

    model, data = folder / "model.onnx", folder / "data"
    save(case.model, model)
    data.mkdir()
    for kind, arrays in zip(("input", "output"), case.data_sets[0], strict=True):
        for number, array in enumerate(arrays):
            if isinstance(array, list):
                return "refused: it is given a sequence, which no file of its kind holds"
            proto = array if hasattr(array, "SerializeToString") else numpy_helper.from_array(array)
            (data / f"{kind}_{number}.pb").write_bytes(proto.SerializeToString())
    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        status = main(["verify", str(model), "--test-data-dir", str(data), "--color", "never"])
    if status in (0, None):
        return "right"
    text = told.getvalue()
    lines = [line.strip() for line in text.splitlines() if "Result:" in line or "rror" in line]
    generated = "Compiling C" in text or "Building" in text or "Generating verification" in text
    return f"{FAILED if generated else 'refused'}: {lines[-1] if lines else text[-200:]}"


def main() -> int:
    try:
        from emx_onnx_cgen.cli import main as emx  # noqa: PLC0415 - need not be there
        from onnx.backend.test import loader  # noqa: PLC0415
    except ImportError as error:
        sys.stderr.write(f"{error}; install emx-onnx-cgen and onnx\n")
        return 1
    start, step = [int(each) for each in sys.argv[2:4]] or [0, 1]
    found: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in loader.load_model_tests(kind="node")[start::step]:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    found[case.name] = verdict(emx, case, Path(folder))
                except (Exception, SystemExit) as error:  # noqa: BLE001 - an outcome, and told
                    found[case.name] = f"refused: {type(error).__name__}: {error}"
            Path(sys.argv[1]).write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
