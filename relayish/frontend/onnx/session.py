"""Running models of ONNX: values by name, as its runtimes take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relayish.errors import EvaluationError, suggest
from relayish.interpreter.evaluate import create_executor
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant, Function, Tuple
from relayish.ir.relay.module import IRModule
from relayish.onnx import info
from relayish.onnx.evaluation import as_evaluated, as_host
from relayish.transform import get_pass


class OnnxSession:
    """A model that is ready to run, on numpy.

    Args:
        mod: What :func:`~relayish.frontend.from_onnx` gave, or what passes made of it.

    Attributes:
        input_names: The names of the inputs, those that may be left out included.
        output_names: The names of the outputs.

    Example:
        >>> from relayish.onnx import find_operator, make_call
        >>> import relayish as relay
        >>> x = relay.var("x", shape=(2,))
        >>> double = make_call(find_operator("Add", 14), [x, x])
        >>> session = OnnxSession(relay.IRModule.from_expr(relay.Function([x], double)))
        >>> session.run({"x": np.array([1, 2], "float32")})
        [array([2., 4.], dtype=float32)]
    """

    def __init__(self, mod: IRModule) -> None:
        main = mod["main"]
        if type(main) is not Function:
            raise EvaluationError(f"main is a {type(main).__name__}; expected a function")
        self.input_names = tuple([param.name_hint for param in main.params])
        self.output_names = _output_names(main)
        self._defaults = _defaults(main)
        self._run = create_executor("debug", mod=_without_attributes(mod)).evaluate()

    def run(self, inputs: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
        """Return the outputs, in order.

        Args:
            inputs: Arrays, lists for sequences, maps and ``None``: by name, or in the order of the
                inputs that have no default.

        Any: values of ONNX.

        Raises:
            EvaluationError: If an input is missing, or nothing is called so; or as the evaluation
                of a node says, with its name.
        """
        given = self._by_name(inputs)
        missing = [n for n in self.input_names if n not in given and n not in self._defaults]
        if missing:
            raise EvaluationError(
                f"the model is run without its input {missing[0]!r}; it takes "
                f"{', '.join(self.input_names)}"
            )
        values = {**self._defaults, **given}
        found = self._run(*[as_evaluated(values[name]) for name in self.input_names])
        if len(self.output_names) == 1:
            return [as_host(found)]
        return [as_host(each) for each in found]

    def _by_name(self, inputs: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
        if isinstance(inputs, Mapping):
            for name in inputs:
                if name not in self.input_names:
                    raise EvaluationError(
                        f"the model has no input {name!r}{suggest(name, self.input_names)}; it "
                        f"takes {', '.join(self.input_names)}"
                    )
            return dict(inputs)
        required = [name for name in self.input_names if name not in self._defaults]
        names = required if len(inputs) <= len(required) else list(self.input_names)
        if len(inputs) > len(names):
            raise EvaluationError(
                f"the model is run on {len(inputs)} inputs; it takes {', '.join(names)}"
            )
        return dict(zip(names, inputs, strict=False))


def _without_attributes(mod: IRModule) -> IRModule:
    """Return a module whose functions take no attributes: those that do stand where they run."""
    for function in mod.functions.values():
        attrs = getattr(function, "attrs", None)
        told: Any = None if attrs is None else attrs.get(info.FUNCTION)  # Any: of any class
        if told is not None and (told["attributes"] or len(told["defaults"])):
            inlined = get_pass("InlineOnnxFunctions")(mod)
            assert isinstance(inlined, IRModule)
            return inlined
    return mod


def _output_names(main: Function) -> tuple[str, ...]:
    """Return the names of the outputs; numbers where the function says none."""
    told = None if main.attrs is None else main.attrs.get(info.OUTPUTS)
    if isinstance(told, tuple):
        return told
    tail = main.body
    while hasattr(tail, "body"):
        tail = tail.body
    count = len(tail.fields) if type(tail) is Tuple else 1
    return tuple([f"output_{place}" for place in range(count)])


def _defaults(main: Function) -> dict[str, np.ndarray[Any, Any]]:  # Any: of any type
    held = None if main.attrs is None else main.attrs.get(info.DEFAULTS)
    if not isinstance(held, DictAttrs):
        return {}
    return {n: np.asarray(c.data) for n, c in held.items() if isinstance(c, Constant)}
