"""Targets of networks: how these are lowered, written and run, for each."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from relayish.codegen.c.entry import CNetwork
from relayish.codegen.c.executor import CompiledNetwork, compile_network, network_of
from relayish.codegen.c.names import comment
from relayish.codegen.c.network import Network, SchedulePlan
from relayish.codegen.c.shipping import check_name, ship
from relayish.codegen.c.toolchain import find_toolchain, flags_for
from relayish.codegen.c.weights import Weights
from relayish.codegen.cuda.network import network_of as network_of_device
from relayish.codegen.cuda.network import network_on_cpu
from relayish.codegen.cuda.shipping import ship as ship_device
from relayish.codegen.cuda.source import to_cuda
from relayish.errors import OptionError
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.expr import Var
from relayish.ir.relay.module import IRModule
from relayish.tir.schedule.defaults import DEFAULT_SCHEDULES

Files: TypeAlias = Mapping[str, bytes]
"""Contents of files, by their names."""


class Target(NamedTuple):
    """What a network is compiled for.

    Attributes:
        check: Raises for options that are not for it.
        lower: Returns the network as loops, and its parameters.
        ship: Returns its files; given what outputs are called.
        build: Returns what runs it on this machine.
    """

    check: Callable[[argparse.Namespace], None]
    lower: Callable[[argparse.Namespace, IRModule], tuple[Network, Sequence[Var]]]
    ship: Callable[[argparse.Namespace, Network, Sequence[str]], tuple[Files, CNetwork]]
    build: Callable[[argparse.Namespace, Network, Sequence[Var]], CompiledNetwork]


def _check_c(args: argparse.Namespace) -> None:
    """Take all options."""


def _lower_c(args: argparse.Namespace, mod: IRModule) -> tuple[Network, Sequence[Var]]:
    return network_of(mod, exact=args.exact, plan=SchedulePlan(_schedules(args), args.records))


def _schedules(args: argparse.Namespace) -> str:
    """Return what is done with loops, as the options say."""
    given: str | None = args.schedules
    return DEFAULT_SCHEDULES[args.target] if given is None else given


def _ship_c(
    args: argparse.Namespace, network: Network, outputs: Sequence[str]
) -> tuple[Files, CNetwork]:
    return ship(
        network,
        args.name,
        weights=None if args.weights is None else Weights(args.weights),
        malloc=not args.no_malloc,
        most=args.most,
        single_file=args.single_file,
        flags=flags_for(exact=args.exact),
        outputs=outputs,
    )


def _build_c(args: argparse.Namespace, network: Network, params: Sequence[Var]) -> CompiledNetwork:
    toolchain = find_toolchain(flags_for(exact=args.exact))
    return compile_network(params, network, args.name, toolchain)


def _check_cuda(args: argparse.Namespace) -> None:
    refused = {
        "--single-file": args.single_file,
        "--no-malloc": args.no_malloc,
        "--most": args.most,
        "--time": args.time,
        "--weights c": args.weights == "c",
        "--emit so": args.emit == "so",
        "--records": args.records is not None,
    }
    for option, is_given in refused.items():
        if is_given:
            raise OptionError(f"{option} is for --target c; leave it out for a device")


def _lower_cuda(args: argparse.Namespace, mod: IRModule) -> tuple[Network, Sequence[Var]]:
    return network_of_device(mod, schedules=_schedules(args))


def _ship_cuda(
    args: argparse.Namespace, network: Network, outputs: Sequence[str]
) -> tuple[Files, CNetwork]:
    return ship_device(network, args.name, outputs=outputs)


def _build_cuda(
    args: argparse.Namespace, network: Network, params: Sequence[Var]
) -> CompiledNetwork:
    return network_on_cpu(params, network, args.name)


TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        "c": Target(_check_c, _lower_c, _ship_c, _build_c),
        "cuda": Target(_check_cuda, _lower_cuda, _ship_cuda, _build_cuda),
    }
)
"""By the name that the command line gives it."""


def ship_loops(mod: AnyModule, name: str) -> Files:
    """Return the files of a program of loops for a device: a source, and a header.

    Raises:
        CodegenError: If a device cannot run it: what, where, and what to do.
        OptionError: If the name is none for a file.
    """
    check_name(name)
    source = to_cuda(mod)
    guard = f"{name.upper()}_H"
    heads = re.findall(r'^extern "C" (int32_t .*)$', source.text, re.MULTILINE)
    told = [
        comment(f"{at}: {each.kind.__name__}: {each}") for at, each in enumerate(source.faults, 1)
    ]
    lines = [
        *(f"#ifndef {guard}", f"#define {guard}", ""),
        *("#include <stdbool.h>", "#include <stdint.h>", ""),
        *("#ifdef __cplusplus", 'extern "C" {', "#endif", ""),
        "/* given memory of the device, each returns 0, or a status */",
        *[f"{head.replace('*restrict ', '*')};" for head in heads],
        *("", *told, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""),
    ]
    return {f"{name}.h": "\n".join(lines).encode(), f"{name}.cu": source.text.encode()}
