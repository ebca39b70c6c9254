"""The reference: every public name has an entry, with signature, documentation and links."""

from __future__ import annotations

import inspect
import re

import pytest

import relayish as relay
from relayish import errors
from tests.support.each import each
from tools import reference_pages
from tools.reference_docstrings import docstring_markdown, summary
from tools.reference_faces import Face, entries, faces, public_names, source_of
from tools.reference_signatures import signature_text
from tools.site_links import link_names
from tools.site_passes import pass_page_markdown
from tools.site_search import raise_names
from tools.site_tree import DOCS

FOLD = DOCS / "passes" / "relay" / "fold.md"


def test_every_name_of_every_face_has_an_entry():
    for face, module in faces().items():
        for name in public_names(module):
            assert f"{face}.{name}" in entries() or isinstance(getattr(module, name), Face)


@each("face", ["relayish.functor", "relayish.image", "relayish.pass_infra", "relayish.tvm.te"])
def test_page_of_a_face_tells_of_all_that_is_its_own(face):
    page = reference_pages.page(face)
    own = [entry for entry in entries().values() if entry.face == face]
    assert own
    for entry in own:
        assert f"## {entry.name} {{ #{entry.path} }}\n" in page
        for name in set(entry.names) - {entry.path}:
            assert f'id="{name}"' in page


def test_page_of_passes_tells_of_them_what_the_reference_does():
    text = pass_page_markdown("passes/relay/fold.md", FOLD.read_text(encoding="utf-8"))
    assert "## FoldConstant { #foldconstant }\n" in text
    assert '<a id="relayish.transform.FoldConstant"></a>' in text
    assert "relayish.transform.FoldConstant(fold_qnn: bool = False" in text
    assert text.count("0_before.svg") == 2


def test_operator_has_the_types_of_the_stub_and_its_docstring():
    text = signature_text("relayish.nn.dense", relay.nn.dense)
    assert "units: int | PrimExpr | None = None" in text
    assert text.endswith("-> Call")


def test_operator_whose_stub_is_inherited_has_types_too():
    assert "input_scale: Expr" in signature_text("relayish.qnn.conv2d", relay.qnn.conv2d)


def test_constructor_of_a_node_has_the_types_of_its_fields():
    assert signature_text("relayish.Let", relay.Let).splitlines()[1:4] == [
        "    var: Var,",
        "    value: Expr,",
        "    body: Expr,",
    ]


def test_thing_goes_by_the_name_that_it_has_itself():
    assert entries()["relayish.fromtext"].path == "relayish.parse"
    assert entries()["relayish.dataflow.IsLattice"].name == "Lattice"


def test_names_on_a_page_about_loops_are_those_of_loops():
    assert link_names("`Call`", "loop_ir.md") == "[`Call`](reference/tir.md#relayish.tir.Call)"


def test_operators_of_models_are_not_taken_for_nodes():
    assert link_names("`If`, `IRModule`", "onnx.md") == (
        "`If`, [`IRModule`](reference/relayish.md#relayish.IRModule)"
    )


def test_names_that_others_have_are_not_linked():
    assert link_names("| `Call` | `Let` |\n", "how-to/come_from_mlir.md") == (
        "| `Call` | [`Let`](../reference/relayish.md#relayish.Let) |\n"
    )


def test_thing_of_several_names_has_one_entry():
    entry = entries()["relayish.ExprMutator"]
    assert entries()["relayish.functor.ExprMutator"] is entry
    assert entry.face == "relayish.functor"
    assert reference_pages.url(entry, "how-to/add_a_pass.md") == (
        "../reference/functor.md#relayish.ExprMutator"
    )


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("relayish.nn.conv2d", "convolution.py"),
        ("relayish.transform.FoldConstant", "fold_constant.py"),
        ("relayish.Call", "expr.py"),
        ("relayish.analysis.EFFECT_RULES", "effect_rules.py"),
    ],
)
def test_source_is_where_it_is_declared(path, file):
    where = source_of(entries()[path])
    assert where is not None
    assert where[0].name == file
    assert where[1] > 1


def test_sections_of_docstrings_are_lists_and_examples_are_code():
    text = "Do.\n\nArgs:\n    a: One,\n        *two*.\n\nExample:\n    >>> 1\n    1\n"
    assert docstring_markdown(text, lambda _: None) == (
        "Do.\n\n**Args**\n\n* `a`: One, \\*two\\*.\n\n**Example**\n\n```pycon\n>>> 1\n1\n```"
    )


def test_roles_and_code_become_links():
    link = {"Let": "#let", "relayish.x.Call": "#call"}.get
    told = docstring_markdown("See :class:`~relayish.x.Call`, ``Let`` and ``it``.", link)
    assert told == "See [`Call`](#call), [`Let`](#let) and `it`."


def test_summary_is_the_first_sentence_and_may_stand_in_a_table():
    assert summary("A | b. And\nmore.\n\nRest.", lambda _: None) == "A \\| b."


def test_names_in_prose_are_linked_and_code_is_left_alone():
    page = "# `Call`\n`Call`, [`Let`](x.md), `call`\n```python\n`Call`\n```\n"
    assert link_names(page, "a.md") == (
        "# `Call`\n[`Call`](reference/relayish.md#relayish.Call), [`Let`](x.md), `call`\n"
        "```python\n`Call`\n```\n"
    )


def test_page_of_errors_tells_of_every_class_of_them():
    text = (DOCS / "errors.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^### (\w+)$", text, re.MULTILINE))
    classes = {
        name for name, thing in vars(errors).items() if inspect.isclass(thing) and name[0] != "_"
    }
    raised = {name for name in classes if issubclass(getattr(errors, name), BaseException)}
    assert told == raised


def test_search_counts_a_name_more_than_those_that_begin_with_it():
    names = ("conv2d", "conv2d_transpose")
    page = "operators/nn/"
    documents = [
        {"location": f"{page}#relayish.nn.{name}", "title": name, "text": ""} for name in names
    ]
    raise_names(documents)
    assert documents[0]["boost"] > documents[1]["boost"]
    assert documents[1]["text"] == " conv2d transpose"
