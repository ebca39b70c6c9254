"""The module ``tvm.ir``: the names of ``relayish.tvm``, and modules within that are this one."""

from relayish.tvm.finder import show_names_of

show_names_of("relayish.tvm", __name__)
