"""The generic text form of a second language, alone and in modules beside Relay functions."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import ParseError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.text import astext, parse, parse_node
from tests.support import mini
from tests.support.depth import DEPTH
from tests.support.mini import sum_of_squares

TEXT = """\
node mini.function(params=[node mini.var %a], body={
  %0 = node mini.call(callee="mul", args=[%a, %a]);
  node mini.let(var=node mini.var %b, value=%0, body={
    %1 = node mini.call(callee="add", args=[%b, node mini.number(value=1)]);
    %2 = node mini.say(what=%1);
    node mini.call(callee="add", args=[%2, %b])
  })
})"""


def mixed() -> relay.IRModule:
    x = relay.var("x", "int32")
    main = relay.Function([x], relay.add(x, relay.const(1)))
    return relay.IRModule({"main": main, "squares": sum_of_squares()})


class TestText:
    def test_generic_form_is_made_from_fields(self):
        assert str(sum_of_squares()) == TEXT
        assert astext(sum_of_squares()) == TEXT

    def test_generic_form_reads_back(self):
        read = parse_node(TEXT)
        assert type(read) is mini.Function
        assert structural_equal(read, sum_of_squares())

    def test_variables_keep_their_other_fields(self):
        narrow = mini.Var("n", 8)
        func = mini.Function((narrow,), narrow)
        assert parse_node(astext(func)).params[0].bits == 8

    def test_free_variable_reads_back_as_one_variable(self):
        free = mini.Var("free")
        read = parse_node(astext(mini.Call("f", (free, free))))
        assert read.args[0] is read.args[1]
        assert type(read.args[0]) is mini.Var

    def test_sharing_survives(self):
        said = mini.Say(mini.Number(1))
        read = parse_node(astext(mini.Call("add", (said, said))))
        assert read.args[0] is read.args[1]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("node mini.cal(callee=1)", "did you mean"),
            ('node mini.call(calle="f")', "did you mean"),
            ("node mini.say()", "what"),
            ('node mini.say(what=node mini.number(value="x"))', "value"),
            ("node mimi.say(what=1)", "mimi"),
        ],
    )
    def test_wrong_text_is_an_error_with_a_place(self, text, said):
        with pytest.raises(ParseError, match=r"from_string:1:\d+") as caught:
            parse_node(text)
        assert said in str(caught.value)

    @pytest.mark.deep
    def test_deep_program_is_written_and_read(self):
        deep = mini.Number(0)
        for _ in range(DEPTH):
            deep = mini.Say(deep)
        assert structural_equal(parse_node(astext(deep)), deep)


class TestModule:
    def test_module_of_both_languages_reads_back(self):
        assert structural_equal(parse(astext(mixed())), mixed())

    def test_definition_is_written_as_the_generic_form(self):
        assert f"def @squares = {TEXT};" in astext(mixed())
