"""Parser and printer of Relay's text format 0.0.5, in which nodes of all languages have a text.

A kind without a text of its own has the generic form, ``node kind(field=value, ...)``, told by the
roles of its fields; ``register_text`` gives it another. The modules here know no kind of node:
``source``, ``reader`` and ``writer`` are what every language stands on, ``layout`` says where each
node is written; ``generic_form``, ``node_writer`` and ``node_reader`` are the generic form.
``relay`` is Relay's grammar.

What TVM's format cannot say, or says and cannot read back, has forms of relayish's own:

* ``nanf`` (``nanf16``, ``nanf64``), ``inff``, ``-0f``; a NaN with another sign or payload stands in
  the metadata section, as do tensors and scalars of other types, and tuples of values;
* ``"text"`` and ``None`` as expressions: constants that hold a string, or nothing;
* ``%"odd name"``, ``@"odd name"``, and ``#"odd name"`` for any other name: one that is no
  identifier, or that is a keyword;
* ``let %x = { let %y = 1; %y };``: a let inside the value of a let (read in braces, in parentheses,
  as it is written, and without);
* ``%x-malformed-ir`` where a variable is bound: the variable bound before under that name, again;
* ``%a(share: %b)`` where a variable is bound: it may share the memory of ``%b``;
* ``free_var %x: T;`` and ``free_type A;`` at the beginning: variables that nothing binds, or that
  are used outside of what binds them;
* ``%0 = ...;`` before the functions of a module: a node that several of them share;
* ``def @name = e;``: a definition that is no function;
* ``#[attrs(key=value)]`` behind the header: attributes of the module;
* ``_ /* #0 */``: an unknown type that occurs more than once, or annotates a variable;
* ``#0=(T, T)`` and then ``#0``: a large type, or a pattern, that occurs more than once;
* ``ref(T)``, ``fn [S: ShapeVar](...)``, ``... where (relation R[1](A, B))``: reference types, kinds
  of type variables, constraints of function types;
* ``domain::name``, ``domain::#"odd name"``: an operator of a domain, where its name alone would be
  read as another one;
* ``Type::Constructor``, where two types have a constructor of one name;
* ``Nil::``, a constructor without fields that is not called (``Nil`` is its value, ``Nil()``);
* ``%f[T](%x)``: type arguments of a call (of operators they are not written);
* ``key={a=1}``, ``key=type(T)``, ``key=%x``: attributes that hold a mapping, a type, an expression;
* ``node kind(field=value, ...)``: any node, of whatever language;
* ``meta[None][0]``, ``meta[DictAttrs][0]`` behind the arguments of a call: no attributes, or those
  of another class than the operator's own.
"""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.text.node_reader import NodeReader
from relayish.text.node_writer import NodeWriter
from relayish.text.relay.b2a import a2b, b2a
from relayish.text.relay.parser import (
    fromtext,
    parse,
    parse_expr,
    parse_node,
    parse_pattern,
    parse_type,
)
from relayish.text.relay.printer import astext
from relayish.text.tables import register_text

__all__ = _imported_names(__name__)

_set_finder(__name__)
