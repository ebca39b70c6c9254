"""Options on a command line: those of the top level, those of groups, and what is refused.

The cases of AIR's ``util/unittest/option.cxx`` are here, each as a fact of one test.
"""

from __future__ import annotations

from random import Random

import pytest

from relayish.domain.driver.command_line import CommandLine, GivenOptions, OptionGroup, ValueForm
from relayish.errors import DuplicateNameError, OptionError
from relayish.registry.option import PassOption, find_option
from tests.support.each import each
from tests.support.seeds import seeds

TOP = (
    PassOption("show", bool, False, "s"),
    PassOption("trace", bool, False, "t"),
    PassOption("skip_before", int, 0),
    PassOption("ratio", float, 0.0),
    PassOption("names", tuple[str, ...], ()),
    PassOption("o", str, ""),
    PassOption("I", str, ""),
)
FORMS = {"o": ValueForm.SPACE, "I": ValueForm.NONE_SPACE}
NN2A = OptionGroup(
    "NN2A",
    (
        PassOption("alias", str, "off", "a"),
        PassOption("analysis_enable", bool, False, "ae"),
        PassOption("level", int, 0),
    ),
)


@pytest.fixture
def line() -> CommandLine:
    made = CommandLine()
    made.register(TOP, FORMS)
    made.register_group(NN2A)
    return made


def refused(line: CommandLine, *words: str) -> str:
    with pytest.raises(OptionError) as caught:
        line.parse(words)
    return str(caught.value)


# -- registration ------------------------------------------------------------------------------


def test_options_of_the_top_level_are_listed_as_registered(line):
    assert line.options == TOP


@pytest.mark.parametrize(
    ("option", "holder"),
    [
        (PassOption("show", bool, False), "show"),
        (PassOption("show_test", bool, False, "s"), "show"),
        (PassOption("show_test", bool, False, "show"), "show"),
        (PassOption("t", bool, False), "trace"),
    ],
)
def test_a_name_or_abbreviation_that_is_taken_is_refused(line, option, holder):
    with pytest.raises(DuplicateNameError, match=f"is taken by option '{holder}'"):
        line.register([option])


def test_no_option_is_registered_where_one_of_several_is_refused(line):
    with pytest.raises(DuplicateNameError):
        line.register([PassOption("fine", bool, False), PassOption("show", bool, False)])
    assert line.options == TOP
    line.register([PassOption("fine", bool, False)])


def test_options_of_one_registration_that_share_a_name_are_refused():
    with pytest.raises(DuplicateNameError, match=r"'b' of the command line .* by option 'a'"):
        CommandLine().register([PassOption("a", int, 0, "x"), PassOption("b", int, 0, "x")])


def test_groups_are_listed_as_registered(line):
    assert line.groups == (NN2A,)


def test_a_second_group_of_one_name_is_refused(line):
    with pytest.raises(DuplicateNameError, match="group of options 'NN2A' already"):
        line.register_group(OptionGroup("NN2A", ()))


def test_a_group_named_as_one_that_is_found_is_refused():
    made = CommandLine(find_group=lambda name: NN2A if name == "NN2A" else None)
    with pytest.raises(DuplicateNameError, match="already"):
        made.register_group(OptionGroup("NN2A", ()))


def test_options_of_a_group_that_share_an_abbreviation_are_refused():
    with pytest.raises(DuplicateNameError, match="of group G"):
        OptionGroup("G", (PassOption("alias", str, "", "a"), PassOption("all", bool, False, "a")))


# -- reading -----------------------------------------------------------------------------------


@each(
    ("words", "values", "files"),
    [
        (["hello.c"], {}, ["hello.c"]),
        (["-"], {}, ["-"]),
        (["hello.c", "-o", "hello.x"], {"o": "hello.x"}, ["hello.c"]),
        (["-trace"], {"trace": True}, []),
        (["-t"], {"trace": True}, []),
        (["-trace", "-trace=false"], {"trace": False}, []),
        (["-skip_before=20"], {"skip_before": 20}, []),
        (["--skip_before=20"], {"skip_before": 20}, []),
        (["-skip-before=0x14"], {"skip_before": 20}, []),
        (["--skip-before=0X14"], {"skip_before": 20}, []),
        (["-skip_before=1", "-skip_before=+20"], {"skip_before": 20}, []),
        (["-I/a/b", "hello.c"], {"I": "/a/b"}, ["hello.c"]),
        (["-I", "/a/b", "hello.c"], {"I": "/a/b"}, ["hello.c"]),
        (["-names=a,b"], {"names": ("a", "b")}, []),
    ],
)  # fmt: skip
def test_words_are_options_of_the_top_level_or_files(line, words, values, files):
    assert line.parse(words) == GivenOptions(values, {}, files)


@each(
    ("words", "given"),
    [
        ("-NN2A:ae", {"analysis_enable": True}),
        ("-NN2A:a=on", {"alias": "on"}),
        ("-NN2A:ae:a=on", {"analysis_enable": True, "alias": "on"}),
        ("-NN2A:alias='a:b\\'c':level=3", {"alias": "a:b'c", "level": 3}),
        ("-NN2A:ae:level=1 --NN2A:level=2", {"analysis_enable": True, "level": 2}),
    ],
)  # fmt: skip
def test_words_are_options_of_groups(line, words, given):
    assert line.parse(words.split(" ")) == GivenOptions(groups={"NN2A": given})


def test_a_group_that_nobody_registered_is_looked_for():
    made = CommandLine(find_group=lambda name: NN2A if name == "NN2A" else None)
    assert made.parse(["-NN2A:ae"]).groups == {"NN2A": {"analysis_enable": True}}


def test_options_are_described_with_their_forms():
    made = CommandLine()
    made.register(
        [PassOption("o", str, "", "", "where to"), PassOption("show", bool, False, "s")], FORMS
    )
    made.register_group(NN2A)
    assert made.describe().splitlines() == [
        "options:",
        "  -o VALUE                        where to",
        "  -show, -s",
        "options of -NN2A:OPTION[=VALUE][:OPTION...]",
        "  alias, a=VALUE",
        "  analysis_enable, ae",
        "  level=VALUE",
    ]


# -- what is refused ----------------------------------------------------------------------------


@each(
    ("words", "message"),
    [
        ([], "no input files; name one, or give an option"),
        (["-skip_before=x20"],
         "incorrect option '-skip_before=x20': option 'skip_before': expected int; found 'x20'"),
        (["-skip_before=2000000000000000000000000000000"], "expected int of 64 bits"),
        (["-skip_before=0x1ffffffffffffffff"], "expected int of 64 bits"),
        (["-skip_before=0x"], "expected int; found '0x'"),
        (["-skip_before=1.5"], "expected int; found '1.5'"),
        (["-skip_before="], "expected int; found ''"),
        (["-skip_before"], "expected a value, as in skip_before=...; skip_before: int = 0"),
        (["-ratio=1e999"], "expected float; found '1e999', which is too large for one"),
        (["-ratio=fast"], "expected float; found 'fast'"),
        (["-trace=maybe"], "expected bool (true or false); found 'maybe'"),
        (["hello.c", "-o"], "expected a value after it, o: str = ''"),
        (["-skip_befor=2"], "there is none of that name; did you mean skip_before?; there are"),
        (["-skip_befor=2"], "there are show (s), trace (t), skip_before, ratio, names, o, I"),
        (["-skip"], "there is none of that name"),
        (["-NN2B:ae"], "there is no pass or group 'NN2B'; did you mean NN2A?; there are NN2A"),
        (["-nn2a:ae"], "there is no pass or group 'nn2a'"),
        (["-NN2A:aenable"], "NN2A has no option 'aenable'"),
        (["-NN2A:an=1"], "it has alias (a), analysis_enable (ae), level"),
        (["-NN2A:"], "NN2A has no option ''"),
        (["-NN2A:a"], "expected a value, as in alias=..."),
        (["-NN2A:ae=2"], "expected bool (true or false); found '2'"),
        (["-NN2A:level=3:level=4"], "option 'level' is given twice"),
        (["-NN2A:a=on:alias=off"], "option 'alias' is given twice"),
        (["-NN2A:level=99999999999999999999999"], "expected int of 64 bits"),
        (["-NN2A:alias='open"], "this quote is never closed"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(line, words, message):
    assert message in refused(line, *words)


def test_an_option_is_not_found_by_no_name():
    assert find_option(TOP, "") is None


@each("seed", seeds(8))
def test_any_words_are_read_or_refused(line, seed):
    random = Random(seed)
    pieces = [
        "-", "--", "NN2A", ":", "=", "ae", "a", "on", "level", "skip_before", "I", "o", "3", "0x",
        "'", '"', "(", ")", ",", "\\", " ", "\n", "é", "-1", "9" * 30, "trace", "names", "",
        "ratio", "1e999", "nan",
    ]  # fmt: skip
    for _ in range(100):
        words = ["".join(random.choices(pieces, k=random.randrange(7))) for _ in range(3)]
        try:
            given = line.parse(words)
        except OptionError as error:
            assert str(error)  # noqa: PT017 - either is fine
        else:
            assert set(given.groups) <= {"NN2A"}
            assert all(-(2**63) <= v < 2**64 for v in given.values.values() if type(v) is int)
