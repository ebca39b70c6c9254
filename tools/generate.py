"""Write every generated file, or compare them with what would be written.

python -m tools.generate             # writes those that changed
python -m tools.generate --check     # writes none; shows the differences and fails if there are any
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tools import (
    class_diagram,
    command_page,
    face_stubs,
    lists,
    operator_table,
    pass_page,
    stubs,
    tvm_stubs,
    unraised_list,
)
from tools.generated import Generated

FILES = (
    *stubs.GENERATED,
    *face_stubs.GENERATED,
    class_diagram.GENERATED,
    *tvm_stubs.GENERATED,
    *pass_page.GENERATED,
    unraised_list.GENERATED,
    lists.GENERATED,
    command_page.GENERATED,
    operator_table.GENERATED,  # imports tests, whose examples the others must not see
)


def main(arguments: Sequence[str] | None = None, files: Sequence[Generated] = FILES) -> int:
    """Write or compare ``files``; return how the process should exit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args(arguments).check
    stale = []
    for generated in files:
        missing = generated.missing()
        if missing:
            sys.stderr.write(f"{generated.name}: left as it is, needs {', '.join(missing)}\n")
            continue
        text = generated.text()
        difference = generated.difference(text)
        if not difference:
            continue
        stale.append(generated.name)
        if check:
            sys.stdout.write(difference)
        else:
            generated.path.parent.mkdir(parents=True, exist_ok=True)
            generated.path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{generated.name}: written\n")
    if not (check and stale):
        return 0
    sys.stderr.write(f"not what is generated: {', '.join(stale)}; run `make generate`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
