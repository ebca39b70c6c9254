from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, ClassVar

import pytest

import relayish as relay
from relayish import transform
from tests.support.each import each

pytestmark = pytest.mark.usefixtures("declarations")


class Keep(transform.ModulePass):
    def transform_module(self, mod: relay.IRModule, ctx: transform.PassContext) -> relay.IRModule:
        return mod


class Must(Keep):
    size: int


def register_demo() -> type[transform.FunctionPass]:
    @transform.register_pass(opt_level=2, required=("InferType",))
    class DemoPass(transform.FunctionPass):
        """Puts a number.

        In every function.
        """

        kind: ClassVar[str] = "demo"
        value: int = 1
        names: tuple[str, ...] = ()
        strict: bool = False

        def transform_function(
            self, func: relay.Function, mod: relay.IRModule, ctx: transform.PassContext
        ) -> relay.Function:
            return relay.Function((), relay.Constant(self.value))

    return DemoPass


def test_registered_class_is_had_by_short_and_global_name(mod: relay.IRModule) -> None:
    demo = register_demo()
    for name in ("DemoPass", "relayish.pass_.DemoPass"):
        pass_ = transform.get_pass(name)
        assert type(pass_) is demo
    assert pass_(mod)["main"].body.data == 1


def test_entry_tells_what_is_known() -> None:
    register_demo()
    entry = transform.pass_entry("DemoPass")
    assert entry.name == "DemoPass"
    assert entry.global_name == "relayish.pass_.DemoPass"
    assert entry.info == transform.PassInfo("DemoPass", 2, ("InferType",), "Puts a number.")
    assert [str(option) for option in entry.options] == [
        "value: int = 1",
        "names: tuple[str, ...] = ()",
        "strict: bool = False",
    ]
    assert entry.claimant.startswith(f"{__name__}.register_demo")


def test_fields_become_constructor_parameters_and_are_checked_and_frozen() -> None:
    demo = register_demo()
    pass_ = demo(3, names=["a"])
    assert pass_.info is demo.info
    assert (pass_.value, pass_.names, pass_.strict) == (3, ("a",), False)
    assert repr(pass_).endswith("DemoPass(value=3, names=('a',), strict=False)")
    message = "option 'value' of pass DemoPass: expected int; found 'x'"
    with pytest.raises(relay.PipelineError, match=message):
        demo(value="x")
    with pytest.raises(FrozenInstanceError):
        pass_.value = 3


def test_docstring_is_not_replaced_by_a_signature() -> None:
    @transform.register_pass(opt_level=1)
    class Silent(Keep):
        value: int = 1

    assert Silent.__doc__ is None
    assert transform.pass_entry("Silent").info.description == ""


def test_options_are_given_by_keyword_or_in_the_name() -> None:
    register_demo()
    assert transform.get_pass("DemoPass", value=5).value == 5
    assert transform.get_pass("DemoPass{value=5}").value == 5
    pass_ = transform.get_pass("DemoPass{value=5,strict=true}", value=6)
    assert (pass_.value, pass_.strict) == (6, True)


def test_own_post_init_runs_after_the_check() -> None:
    @transform.register_pass(opt_level=1)
    class Positive(Keep):
        value: float = 1

        def __post_init__(self) -> None:
            assert type(self.value) is float
            if self.value <= 0:
                raise relay.PipelineError("value must be positive")

    with pytest.raises(relay.PipelineError, match="must be positive"):
        transform.get_pass("Positive{value=-1}")


@pytest.mark.parametrize("level", [None, 3])
def test_derived_class_adds_its_options_and_takes_the_level_of_its_base(level: int | None) -> None:
    demo = register_demo()

    @transform.register_pass(opt_level=level)
    class Derived(demo):
        extra: bool = True

    pass_ = transform.get_pass("Derived{value=2,extra=false}")
    assert (pass_.value, pass_.extra) == (2, False)
    assert (pass_.info.name, pass_.info.opt_level) == ("Derived", level or 2)
    assert pass_.info.required == ("InferType",)
    assert demo.info.name == "DemoPass"


class Sized(Keep):
    def __init__(self, size: int, *rest: int, deep: bool = False, **more: int) -> None:
        self.size, self.deep = size, deep


class Inheriting(Sized):
    pass


@pytest.mark.parametrize("kind", [Sized, Inheriting])
def test_class_keeps_the_constructor_that_it_has(kind: type[transform.Pass]) -> None:
    transform.register_pass(opt_level=1, name="Own")(kind)
    pass_ = transform.get_pass("Own{size=3,deep=true}")
    assert (pass_.size, pass_.deep) == (3, True)
    assert [option.name for option in transform.pass_entry("Own").options] == ["size", "deep"]
    pass_.size = 4


def test_class_that_overrides_the_constructor_of_a_registered_one_keeps_its_own() -> None:
    demo = register_demo()

    @transform.register_pass(opt_level=1)
    class Own(demo):
        def __init__(self, other: str) -> None:
            demo.__init__(self, value=len(other))

    assert transform.get_pass("Own{other=abc}").value == 3
    assert [option.name for option in transform.pass_entry("Own").options] == ["other"]


def test_class_that_is_a_dataclass_already_stays_as_it_is() -> None:
    @transform.register_pass(opt_level=1)
    @dataclass
    class Own(Keep):
        value: int = 1

    pass_ = transform.get_pass("Own{value=2}")
    pass_.value = 3
    assert pass_.value == 3


def test_class_made_by_function_pass_is_registered_with_its_options(mod: relay.IRModule) -> None:
    @transform.register_pass()
    @transform.function_pass(opt_level=1, name="Wrapped", required=["A"])
    class Anything:
        """Wraps."""

        def __init__(self, value: int = 1) -> None:
            self.value = value

        def transform_function(
            self, func: relay.Function, mod: relay.IRModule, ctx: transform.PassContext
        ) -> relay.Function:
            return relay.Function((), relay.Constant(self.value))

    entry = transform.pass_entry("Anything")
    assert (entry.info.opt_level, entry.info.required) == (1, ("A",))
    assert transform.get_pass("Anything{value=7}")(mod)["main"].body.data == 7


def test_pass_object_is_registered_by_its_own_info(mod: relay.IRModule) -> None:
    @transform.register_pass()
    @transform.function_pass(opt_level=1)
    def Plain(
        func: relay.Function, mod: relay.IRModule, ctx: transform.PassContext
    ) -> relay.Function:
        """Keeps."""
        return func

    entry = transform.pass_entry("Plain")
    assert (entry.info.opt_level, entry.info.description) == (1, "Keeps.")
    assert entry.claimant.endswith(".Plain")
    assert transform.get_pass("Plain") is Plain
    assert Plain(mod) is mod


def test_pass_object_can_be_registered_under_other_settings() -> None:
    original = transform.create_module_pass(lambda m, _c: m, 1, "Original")
    other = transform.register_pass(opt_level=3, name="Other", description="Says.")(original)
    assert transform.get_pass("Other") is other
    assert other.info == transform.PassInfo("Other", 3, (), "Says.")
    assert original.info.name == "Original"


def test_pass_object_without_function_is_claimed_by_its_class() -> None:
    transform.register_pass(name="Seq")(transform.Sequential([]))
    assert (
        transform.pass_entry("Seq").claimant
        == "relayish.pass_infra.composition.sequential.Sequential"
    )


def test_factory_gives_passes_the_registered_info_and_leaves_what_they_need(
    mod: relay.IRModule,
) -> None:
    own = {"requires": ("r",), "ensures": ("e",), "preserves": ("p",), "infer_types": True}

    @transform.register_pass(opt_level=1, required=("A",))
    def Made(value: int = 1) -> transform.Pass:
        """Makes."""
        seven = relay.Function((), relay.Constant(value))
        return transform.create_function_pass(lambda _f, _m, _c: seven, 0, "inner", **own)

    for pass_ in (Made(5), transform.get_pass("Made{value=5}")):
        assert pass_.info == transform.PassInfo("Made", 1, ("A",), "Makes.", **own)
        assert pass_.transform_function(mod["main"], mod, transform.PassContext()).body.data == 5


def test_factory_that_returns_no_pass_is_an_error() -> None:
    @transform.register_pass(opt_level=1)
    def Made() -> transform.Pass:
        return None

    with pytest.raises(relay.PassError, match=r"factory of pass Made, .*Made, must return a pass"):
        transform.get_pass("Made")


class Misspelt(Keep):
    value: Nowhere = 1  # noqa: F821


class Nothing:
    pass


class Silent(transform.FunctionPass):
    pass


class Unlevelled(Keep):
    pass


def unannotated(value=1) -> transform.Pass:
    raise NotImplementedError


def positional(value: int, /) -> transform.Pass:
    raise NotImplementedError


def made() -> transform.Pass:
    raise NotImplementedError


@each(
    ("given", "level", "message"),
    [
        (unannotated, 1, "first parameter 'value' has no annotation"),
        (positional, 1, "may not be positional only"),
        (Misspelt, 1, "cannot resolve the annotations of pass"),
        (Nothing, 1, "Nothing is no pass class; derive it"),
        (Silent, 1, "does not define transform_function"),
        (Unlevelled, None, r"@register_pass needs the level of .*Unlevelled"),
        (made, None, "needs the level"),
        *[(bad, 1, "@register_pass takes a function of a module") for bad in (3, "x", None)],
    ],
)  # fmt: skip
def test_what_cannot_be_registered_is_refused(
    given: object, level: int | None, message: str
) -> None:
    with pytest.raises(relay.DeclarationError, match=message):
        transform.register_pass(opt_level=level)(given)


def test_second_claim_names_both_claimants() -> None:
    first = register_demo()

    class Other(Keep):
        pass

    with pytest.raises(relay.DuplicateNameError) as info:
        transform.register_pass(opt_level=1, name="DemoPass")(Other)
    for part in ("relayish.pass_.DemoPass", ".Other", "register_demo", "replace=True", __name__):
        assert part in str(info.value)
    assert type(transform.get_pass("DemoPass")) is first


def test_name_is_taken_over_by_the_same_declaration_or_where_that_is_said() -> None:
    register_demo()
    second = register_demo()
    assert type(transform.get_pass("DemoPass")) is second
    transform.register_pass(opt_level=1, name="relayish.pass_.DemoPass", replace=True)(Keep)
    assert type(transform.get_pass("DemoPass")) is Keep


@each(
    ("name", "options", "message"),
    [
        ("DemoPas", {}, "did you mean DemoPass.; relayish.*list_passes.*`relayish passes`"),
        ("DemoPass", {"valu": 1}, r"no option 'valu'; did you mean value\?; it has val"),
        ("DemoPass", {"strict": 1}, "'strict' of pass DemoPass: expected bool; found 1"),
        ("Keep", {"x": 1}, "pass Keep has no option 'x'; it has none"),
        ("Must", {}, "pass Must must be given the option size: int"),
        ("A,B", {}, "expected one pass; found 2"),
    ],
)  # fmt: skip
def test_what_no_pass_takes_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    register_demo()
    transform.register_pass(opt_level=1)(Keep)
    transform.register_pass(opt_level=1)(Must)
    with pytest.raises((relay.PipelineError, relay.UnknownNameError), match=message):
        transform.get_pass(name, **options)


def test_option_that_text_cannot_say_is_given_in_python() -> None:
    @transform.register_pass(opt_level=1)
    class Skip(Keep):
        skip: Callable[[int], bool] | None = None

    assert transform.get_pass("Skip", skip=callable).skip is callable
    assert transform.get_pass("Skip{skip=none}").skip is None
    with pytest.raises(relay.PipelineError, match="option 'skip' of pass Skip: expected"):
        transform.get_pass("Skip{skip=callable}")


def test_listing_is_sorted_and_holds_what_is_registered() -> None:
    register_demo()
    transform.register_pass(opt_level=1)(Keep)
    names = transform.list_passes()
    assert {"DemoPass", "Keep"} <= set(names)
    assert list(names) == sorted(names)


def test_pipeline_builds_each_pass_with_its_options() -> None:
    register_demo()
    transform.register_pass(opt_level=1)(Keep)
    pipeline = transform.parse_pipeline(
        "Keep, relayish.pass_.DemoPass{value=-3,names=(a,'b c'),strict=true},Keep", name="mine"
    )
    assert [p.info.name for p in pipeline.passes] == ["Keep", "DemoPass", "Keep"]
    demo = pipeline.passes[1]
    assert (demo.value, demo.names, demo.strict) == (-3, ("a", "b c"), True)
    assert pipeline.info.name == "mine"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("Keep,DemoPass{valu=1}", "pass DemoPass has no option 'valu'; did you mean value?", 15),
        ("DemoPass{value=x}", "option 'value' of pass DemoPass: expected int; found 'x'", 16),
        ("DemoPass{strict=1}", "option 'strict' of pass DemoPass: expected bool", 17),
        ("DemoPass{names=(a,(b,))}", "option 'names' of pass DemoPass: expected str", 16),
    ],
)
def test_faulty_options_in_a_pipeline_point_at_the_place(
    text: str, message: str, column: int
) -> None:
    register_demo()
    transform.register_pass(opt_level=1)(Keep)
    with pytest.raises(relay.PipelineError) as info:
        transform.parse_pipeline(text)
    shown = str(info.value)
    assert shown.startswith(message)
    assert f"(column {column})\n  {text}\n  {' ' * (column - 1)}^" in shown


@each(
    ("text", "note"),
    [
        ("Keep,Kep", "at column 6 of:\n  Keep,Kep\n       ^"),
        ("Must", "at column 1 of:\n  Must\n  ^"),
    ],
)
def test_notes_point_at_the_place_in_a_pipeline(text: str, note: str) -> None:
    transform.register_pass(opt_level=1)(Keep)
    transform.register_pass(opt_level=1)(Must)
    with pytest.raises((relay.PipelineError, relay.UnknownNameError)) as info:
        transform.parse_pipeline(text)
    assert info.value.__notes__ == [note]


def test_registered_pass_is_an_attribute_of_transform(mod: relay.IRModule) -> None:
    demo = register_demo()
    assert transform.DemoPass is demo
    assert transform.DemoPass(value=2)(mod)["main"].body.data == 2
    assert "DemoPass" in dir(transform)
    assert "Sequential" in dir(transform)


def test_unknown_attribute_of_transform_suggests() -> None:
    register_demo()
    with pytest.raises(AttributeError, match=r"no pass 'DemoPas'; did you mean DemoPass\?"):
        _ = transform.DemoPas
    with pytest.raises(AttributeError, match=r"no pass 'Sequentia'; did you mean Sequential\?"):
        _ = transform.Sequentia


@pytest.mark.parametrize("name", ["demo_pass", "_DemoPass", "__nothing__"])
def test_attribute_that_is_no_pass_name_does_not_look_for_passes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transform.PassRegistry, "find", None)
    assert not hasattr(transform, name)
