"""Typed configurations of passes, made from what these declare."""

from __future__ import annotations

import dataclasses

import pytest

from relayish import transform
from tests.support.each import each

Nothing = transform.create_function_pass(lambda func, _mod, _ctx: func, 0, "Nothing")


def test_a_configuration_has_the_options_of_the_pass_beside_the_common_ones():
    made = transform.config_class(transform.pass_entry("FoldConstant"))
    assert issubclass(made, transform.CommonConfig)
    assert {f.name for f in dataclasses.fields(made)} == {
        "fold_qnn", "size_limit", *(f.name for f in dataclasses.fields(transform.CommonConfig))
    }  # fmt: skip


def test_a_configuration_has_the_values_that_the_pass_was_made_with():
    config = transform.config_of(transform.get_pass("FoldConstant{fold_qnn=true, skip_after=3}"))
    assert (config.fold_qnn, config.skip_after, config.enable) == (True, 3, True)


def test_a_configuration_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        transform.config_of(transform.FoldConstant()).fold_qnn = True


def test_an_option_that_must_be_given_must_be_given():
    with pytest.raises(TypeError, match="targets"):
        transform.config_class(transform.pass_entry("AnnotateTarget"))()


def test_a_pass_that_is_not_registered_has_the_common_options():
    assert transform.config_of(Nothing.with_common(show=True)) == transform.CommonConfig(show=True)


def test_configurations_of_passes_of_one_class_are_of_one_class():
    assert type(transform.config_of(transform.FoldConstant())) is type(
        transform.config_of(transform.FoldConstant(fold_qnn=True))
    )


@pytest.mark.usefixtures("declarations")
def test_a_factory_that_keeps_its_options_leaves_the_common_ones():
    @transform.register_pass("Made", opt_level=0)
    def make(*, often: int = 1):
        return Nothing

    assert transform.config_of(make(often=2)) == transform.CommonConfig()


@pytest.mark.usefixtures("declarations")
def test_a_default_that_can_be_changed_is_one():
    @transform.register_pass("Own", opt_level=0)
    class Own(transform.ModulePass):
        def __init__(self, names: list = []) -> None:  # noqa: B006 - as users write it
            self.names = names

        def transform_module(self, mod, ctx):
            return mod

    assert transform.config_class(transform.pass_entry("Own"))().names == []
    assert transform.config_of(Own(["a"])).names == ["a"]


@each("name", transform.list_passes())
def test_every_pass_has_a_class_of_configurations(name):
    assert transform.config_class(transform.pass_entry(name)).__name__ == f"{name}Config"
