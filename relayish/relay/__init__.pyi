# What type checkers see of relayish.relay: all that relayish has, and what is another thing here.
# ruff: noqa: F403 - one name for another

from relayish import *
from relayish.prelude import Prelude as Prelude
from relayish.relay import adt as adt
from relayish.relay import backend as backend
from relayish.relay import base as base
from relayish.relay import build_module as build_module
from relayish.relay import expr as expr
from relayish.relay import expr_functor as expr_functor
from relayish.relay import function as function
from relayish.relay import loops as loops
from relayish.relay import param_dict as param_dict
from relayish.relay import parser as parser
from relayish.relay import scope_builder as scope_builder
from relayish.relay import ty as ty
from relayish.relay import type_functor as type_functor
from relayish.relay.build_module import create_executor as create_executor  # type: ignore[assignment]  # it is another one here
from relayish.relay.ty import ShapeVar as ShapeVar
