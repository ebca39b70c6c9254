"""``relayish completion``: what shells complete words of the command line with.

A shell is given a script that asks ``relayish completion SHELL --reply WORD...`` for each word: the
parser tells commands, options and choices, the lists that relayish brings the rest.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from relayish.cli.arguments import Commands, Parser
from relayish.cli.lists import shipped_names
from relayish.cli.parser import build_parser
from relayish.cli.report import tell

FILES: Final = "files"
"""The reply that files complete a word, which shells know best."""

_KINDS: Final = {
    **dict.fromkeys(("PIPELINE", "PASS", "PASS{...}"), "passes"),
    **dict.fromkeys(("ANALYSES", "ANALYSIS"), "analyses"),
    "INSTRUMENT{...}": "instruments",
    "CHECK": "checks",
    "DOMAIN": "domains",
}
"""By what stands for a value in the help: what it is a name of."""
_OF_FILES: Final = ("FILE", "MODEL", "OUT", "DIR", "BEFORE", "AFTER")
"""What stands for names of files begins like this."""


class Candidate(NamedTuple):
    """What may stand in place of a word, and what it is."""

    word: str
    what: str = ""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.reply is None:
        tell(SCRIPTS[args.shell])
        return 0
    words = list(_joined(args.reply)) if args.shell == "bash" else args.reply
    for found in complete(build_parser(), words or [""]):
        word = found.word
        if args.shell == "bash":  # to which = begins a new word
            word = word.rpartition("=")[2] if "=" in words[-1] else word
        described = found.what and args.shell != "bash"
        tell(f"{word}\t{found.what}\n" if described else f"{word}\n")
    return 0


def _joined(words: Iterable[str]) -> Iterator[str]:
    """Yield words as they were before bash took them apart at equals signs."""
    whole: str | None = None
    for word in words:
        if whole is not None and (word == "=" or whole.endswith("=")):
            whole += word
            continue
        if whole is not None:
            yield whole
        whole = word
    if whole is not None:
        yield whole


def complete(parser: Parser, words: Sequence[str]) -> Iterator[Candidate]:
    """Yield what may stand in place of the last word; ``files`` alone where files may.

    Args:
        parser: Of the command line.
        words: Behind the name of the program, the last of which may be empty.

    Example:
        >>> [found.word for found in complete(build_parser(), ["op"])]
        ['optimize', 'opt']
        >>> [found.word for found in complete(build_parser(), ["opt", "a.relay", "--print-ch"])]
        ['--print-changed']
    """
    *before, current = words
    waiting: argparse.Action | None = None
    places = 0
    for word in before:
        if waiting is not None:
            waiting = None
        elif word.startswith("-") and word != "-":
            option, equals, _ = word.partition("=")
            waiting = None if equals else _taking(parser, option)
        elif isinstance(taken := _place(parser, places), Commands):
            parser, places = taken.choices.get(word, parser), 0
        else:
            places += 1
    option, equals, value = current.partition("=")
    if waiting is not None:
        yield from _values(waiting, current)
    elif current.startswith("--") and equals:
        action = _taking(parser, option)
        for found in _values(action, value) if action is not None else ():
            yield found if found.word == FILES else found._replace(word=f"{option}={found.word}")
    elif current.startswith("-") and current != "-":
        for action in parser._actions:  # noqa: SLF001 - argparse tells what it knows by these only
            yield from _fitting(action.option_strings, current, _summary(action.help))
    elif isinstance(taken := _place(parser, places), Commands):
        for each in taken._choices_actions:  # noqa: SLF001 - as above
            yield from _fitting([each.dest], current, _summary(each.help))
    elif taken is not None:
        yield from _values(taken, current)


def _taking(parser: Parser, option: str) -> argparse.Action | None:
    """Return an option if it takes a value."""
    action = parser._option_string_actions.get(option)  # noqa: SLF001 - as above
    return None if action is None or action.nargs == 0 else action


def _place(parser: Parser, number: int) -> argparse.Action | None:
    """Return the argument that the word of some number, from 0, is; the last may take several."""
    actions = parser._get_positional_actions()  # noqa: SLF001 - as above
    if number >= len(actions) and actions and actions[-1].nargs in ("*", "+"):
        return actions[-1]
    return actions[number] if number < len(actions) else None


def _values(action: argparse.Action, current: str) -> Iterator[Candidate]:
    """Yield the values of an argument that begin as a word does."""
    metavar = str(action.metavar or "")
    if action.choices is not None:
        yield from _fitting(map(str, action.choices), current)
    elif metavar in _KINDS:
        done, comma, begun = current.rpartition(",")
        for found in _fitting(shipped_names(_KINDS[metavar]), begun):
            yield Candidate(f"{done}{comma}{found.word}")
    elif metavar.startswith(_OF_FILES):
        yield Candidate(FILES)


def _fitting(words: Iterable[str], current: str, what: str = "") -> Iterator[Candidate]:
    begun = current.lower()
    for word in words:
        if word.lower().startswith(begun):
            yield Candidate(word, what)


def _summary(text: str | None) -> str:
    """Return what an option does, in few words."""
    return " ".join((text or "").split()).partition(";")[0]


_BASH: Final = """\
# relayish completion bash: source <(relayish completion bash)
_relayish() {
    local IFS=$'\\n' word=${COMP_WORDS[COMP_CWORD]}
    [[ $word == = ]] && word=
    COMPREPLY=($(relayish completion bash --reply "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    if [[ ${COMPREPLY[0]} == files ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}
complete -F _relayish relayish
"""
_ZSH: Final = """\
#compdef relayish
# relayish completion zsh: source <(relayish completion zsh), behind compinit
_relayish() {
    local -a found names shown
    found=("${(@f)$(relayish completion zsh --reply "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ $found[1] == files ]]; then
        compset -P '--*='
        _files
        return
    fi
    names=("${(@)found%%$'\\t'*}")
    shown=("${(@)found/$'\\t'/  -- }")
    [[ -n $names[1] ]] && compadd -U -l -d shown -a names
}
if [[ $funcstack[1] == _relayish ]]; then _relayish "$@"; else compdef _relayish relayish; fi
"""
_FISH: Final = """\
# relayish completion fish: relayish completion fish | source
function __relayish_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (relayish completion fish --reply $words[2..-1] 2>/dev/null)
    if test "$found[1]" = files
        set -l option (string match -r -- '^--[^=]*=' $words[-1]; or echo)
        for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $words[-1]))
            printf '%s\\n' $option$path
        end
    else
        printf '%s\\n' $found
    end
end
complete -c relayish -f -a '(__relayish_complete)'
"""

SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
"""By shell, what it is given."""
