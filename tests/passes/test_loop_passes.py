"""What holds of every pass over loops, on random programs of several sorts."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from relayish import tir
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.module import IRModule
from relayish.passes import PASSES
from relayish.tir import LoweredFunc
from relayish.transform import get_pass
from tests.support.loop_passes import LOOP_PASSES
from tests.support.seeds import seeds
from tests.support.tir_copies import with_copies
from tests.support.tir_deep import SHARED
from tests.support.tir_programs import arguments, outcome, random_func, same_result
from tests.support.tir_regions import with_regions

AGAIN = ("rebinding", "same_names")
FLAT = ("schedule_block", "root", "vector")

SORTS = {
    "plain": random_func,
    "shared": lambda seed: random_func(
        f"shared {seed}", size=16, more=("shared",), without=(*FLAT, "reduce")
    ),
    "regions": lambda seed: with_regions(random_func(f"regions {seed}")),
    "rebinding": lambda seed: random_func(seed, size=20, more=AGAIN),
    "copies": lambda seed: with_copies(random_func(f"copies {seed}", without=FLAT), seed),
    "copies_rebinding": lambda seed: with_copies(
        random_func(seed, without=FLAT, size=20, more=AGAIN), seed
    ),
    "faulty": lambda seed: random_func(seed, faulty=True),
}
SEEDS = {
    "plain": seeds(15),
    "shared": seeds(20),
    "regions": seeds(25),
    "rebinding": seeds(12),
    "copies": seeds(12),
    "copies_rebinding": seeds(6),
    "faulty": seeds(15),
}
FORGIVING = ("FlattenBuffer",)
"""Passes after which an index may be in range that was not."""
RENAMING = ("ConvertSSA",)
"""Passes that change which variable is meant, and may leave the text as it was."""
REBINDING = {
    name for name in LOOP_PASSES if name == "ConvertSSA" or "structure" not in PASSES[name]
}
"""Passes that take programs which bind a variable again, though the verifier does not."""
NEVER = (
    *("RenameTensors", "ContractArrays"),
    *("EntailLoopCondition", "IfFold", "IfFusion", "LowerIntrin", "StorageRewrite"),
    *("RearrangeLoadInstruction", "ApplySchedules"),
)
"""Passes for which programs that are drawn have nothing to do, or little."""

sorts = pytest.mark.parametrize("sort", SORTS)


@functools.cache
def drawn(sort: str, seed: int) -> LoweredFunc:
    return SORTS[sort](seed)


@functools.cache
def accepted(sort: str, seed: int) -> bool:
    """Whether the verifier accepts a program as it is drawn."""
    return tir.verify(drawn(sort, seed)) == ()


class Applied:
    """A pass, and what it makes of the programs that are drawn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.images: dict[tuple[str, int], AnyModule] = {}

    def seeds(self, sort: str) -> list[int]:
        """Return the seeds of the programs that the pass takes."""
        takes_all = "rebinding" not in sort or self.name in REBINDING
        return [seed for seed in SEEDS[sort] if takes_all or accepted(sort, seed)]

    def to(self, sort: str, seed: int) -> AnyModule:
        if (sort, seed) not in self.images:
            mod = IRModule({"f": drawn(sort, seed)})
            self.images[sort, seed] = get_pass(self.name)(mod)
        return self.images[sort, seed]

    def changed(self) -> Iterator[tuple[str, int, LoweredFunc]]:
        """Yield the programs that the pass changes, and what it makes of each."""
        programs = [(sort, seed) for sort in SORTS for seed in self.seeds(sort)]
        for sort, seed in programs:
            image = self.to(sort, seed)["f"]
            if image is not drawn(sort, seed):
                yield sort, seed, image


@pytest.fixture(scope="module", params=LOOP_PASSES)
def applied(request):
    return Applied(request.param)


@sorts
def test_pass_keeps_what_random_programs_do(applied, sort):
    for seed in applied.seeds(sort):
        func = drawn(sort, seed)
        fails = sort == "faulty" and isinstance(outcome(func, arguments(func)), str)
        if not fails or applied.name not in FORGIVING:
            assert same_result(func, applied.to(sort, seed)["f"]), seed


def test_verifier_accepts_what_a_pass_returns(applied):
    for sort, seed, image in applied.changed():
        if sort != "faulty" and accepted(sort, seed):
            assert tir.verify(image) == (), (sort, seed)


def test_pass_applied_again_returns_the_same_object(applied):
    for sort, seed, _ in applied.changed():
        once = applied.to(sort, seed)
        assert get_pass(applied.name)(once) is once, (sort, seed)


def test_pass_returns_another_program_only_where_something_changed(applied):
    for sort, seed, image in applied.changed():
        same = tir.astext(image) == tir.astext(drawn(sort, seed))
        assert not same or applied.name in RENAMING, (sort, seed)


def test_pass_changes_random_programs_often_enough_to_tell(applied):
    count = sum(map(len, SEEDS.values()))
    assert len(list(applied.changed())) > count / 20 or applied.name in NEVER


def test_pass_returns_the_same_object_where_it_has_nothing_to_do(applied):
    buffer = tir.Buffer("_A", (4,), "int32")
    tensor = tir.Tensor("A", (4,), "int32", buffer)
    var = tir.Var("i")
    loop = tir.For(var, 0, 4, tir.Block((tir.Store(tensor, var, (var,)),)))
    mod = IRModule({"f": LoweredFunc("f", (buffer,), tir.Block((loop,)))})
    assert get_pass(applied.name)(mod) is mod


@pytest.mark.parametrize("kind", SHARED)
def test_pass_looks_at_shared_nodes_once(applied, kind):
    get_pass(applied.name)(IRModule({"f": SHARED[kind](1000)}))


def test_random_programs_are_accepted_and_end_mostly():
    assert all(
        accepted(sort, seed) for sort in ("plain", "shared", "regions") for seed in SEEDS[sort]
    )
    failing = 0
    for seed in SEEDS["faulty"]:
        func = drawn("faulty", seed)
        failing += isinstance(outcome(func, arguments(func)), str)
    assert len(SEEDS["faulty"]) / 50 < failing < len(SEEDS["faulty"])
