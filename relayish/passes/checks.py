"""Checks of relayish's own that passes name in ``requires`` and ``ensures``.

:mod:`relayish.transform.check` has those every program can be asked, and imports this module when
it is asked for one it does not know. A further check is a function decorated with
``@register_check("its_name")``, that raises an error which says what is wrong, and stands here or
is imported here from the pass it belongs to.
"""

from __future__ import annotations

from relayish.passes.normal_form import checks as _normal_forms  # noqa: F401 - registers its checks
