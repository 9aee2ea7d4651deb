"""The commands that a script runs under another name: from a variable, or by a function of its own.

``CMD="python train.py"; $CMD --device cuda`` runs ``python train.py --device cuda``, and so does
``run() { python train.py "$@"; }; run --device cuda``. Each word stays where it is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from .places import Command, Function, ShellPlace, Use, Variable, Word
from .within.nested import SHELLS, NestedCode, code_of
from .words import variable_in

HEADS = SHELLS | {
    *("eval", "exec", "nohup", "time", "command", "srun", "sudo", "timeout", "env", "mpirun", "mpiexec"),
    *("sbatch", "ssh"),
}
"""Programs that run what their arguments name, or the code that one of them is."""
_CODE_OPTIONS = ("-c", "--wrap")
_ALL_ARGUMENTS = re.compile(r"\"?\$(?:[@*]|\{[@*](?::(\d+))?\})\"?")
_ONE_ARGUMENT = re.compile(r"\"?\$(?:(\d)|\{(\d)(?::?[-=][^}]*)?\})\"?")
"""``$1``, ``"${1}"``, ``${1:-cuda}``."""
_OPTION = re.compile(r"--?[A-Za-z][\w.-]*")
NO_VARIABLES: Mapping[str, Word] = MappingProxyType({})
_MOST = 200
"""Commands of one text that are made."""
_MOST_WORDS = 200
Places = Callable[[NestedCode], Iterable[ShellPlace]]


def expanded(places: Sequence[ShellPlace], inside: Places) -> Iterator[ShellPlace]:
    """The commands that run under another name, with what else the texts of their variables hold.

    Args:
        places: All of a text.
        inside: Reads the places of code that a variable holds.
    """
    commands = [place for place in places if isinstance(place, Command)]
    functions = [place for place in places if isinstance(place, Function)]
    if not functions and not any(map(_head_variable, commands)):
        return
    values = _values(places)
    read: dict[str, list[ShellPlace]] = {}
    pending = [*commands]
    made = 0
    while pending and made < _MOST:
        command = pending.pop(0)
        name = _head_variable(command)
        if name in values and name not in read:
            read[name] = _held_by_all(values[name], inside)
            yield from (place for place in read[name] if not isinstance(place, Command))
        found = [*_of_variable(command, name, read.get(name, ())), *_of_functions(command, functions, places)]
        made += len(found)
        yield from found
        pending = [*(one for one in found if one.words != command.words), *pending]


def _values(places: Iterable[ShellPlace]) -> Mapping[str, list[Variable]]:
    """Where each variable is set."""
    found: dict[str, list[Variable]] = {}
    for place in places:
        if isinstance(place, Variable) and place.use is Use.SET and place.value is not None:
            found.setdefault(place.name, []).append(place)
    return found


def _held_by_all(variables: Iterable[Variable], inside: Places) -> list[ShellPlace]:
    """The places of the code that a variable is set to; what is added to it belongs to the command before."""
    found: list[ShellPlace] = []
    last: Command | None = None
    for variable in variables:
        for place in _held(variable, inside):
            if not isinstance(place, Command):
                found.append(place)
                continue
            more = _words_added(variable, place) if last is not None else ()
            if last is not None and more:
                found.remove(last)
            last = last._replace(words=(*last.words, *more)[:_MOST_WORDS]) if last and more else place
            found.append(last)
    return found


def _words_added(variable: Variable, command: Command) -> tuple[Word, ...]:
    """The words behind the value that a variable had: of ``A+=" --more"`` and ``A="$A --more"``."""
    if variable.is_added:
        return command.words
    return command.words[1:] if variable_in(command.words[0]) == variable.name else ()


def _held(variable: Variable, inside: Places) -> Iterator[ShellPlace]:
    """The places of the code that a variable holds; the elements of an array are one command."""
    if variable.items:
        yield Command(variable.items[0].start, variable.items[-1].end, variable.items, is_captured=False)
    elif variable.value is not None and (code := code_of(variable.value)) is not None:
        yield from inside(code)


def _head_variable(command: Command) -> str:
    """The variable that holds the program of a command, or the code that it runs."""
    at = _head_at(command.words)
    return "" if at is None else variable_in(_behind_option(command.words[at]))


def _head_at(words: Sequence[Word]) -> int | None:
    for index, word in enumerate(words):
        before = words[index - 1].text or "" if index else ""
        is_value = before.startswith("-") and before not in _CODE_OPTIONS
        if variable_in(_behind_option(word)) and not is_value:
            return index
        if not index and (word.text or "").rpartition("/")[2] not in HEADS:
            return None
    return None


def _behind_option(word: Word) -> Word:
    """The value of ``--wrap="$CMD"``."""
    option, is_joined, raw = word.raw.partition("=")
    return word._replace(raw=raw) if is_joined and option in _CODE_OPTIONS else word


def _of_variable(command: Command, name: str, held: Iterable[ShellPlace]) -> Iterator[Command]:
    """A command with the words that its variable holds in place of the variable."""
    at = _head_at(command.words)
    inner = [place for place in held if isinstance(place, Command)]
    if at is None or not name or not inner:
        return
    *others, last = inner
    yield from others
    words = (*last.words, *command.words[at + 1 :])[:_MOST_WORDS]
    yield command._replace(words=words, is_list=False)


def _of_functions(
    command: Command, functions: Sequence[Function], places: Sequence[ShellPlace]
) -> Iterator[Command]:
    """What a call of a function runs: the commands of its body that get its arguments."""
    for function in functions:
        first, last = function.body
        if function.name == command.words[0].text and not first <= command.start < last:
            body = [place for place in places if first <= place.start < last]
            for words in called(body, command.words[1:]):
                yield command._replace(words=words)


def called(
    body: Iterable[ShellPlace], arguments: Sequence[Word], variables: Mapping[str, Word] = NO_VARIABLES
) -> Iterator[tuple[Word, ...]]:
    """The words of the commands that get an argument of a function or script.

    Args:
        body: The places of what is called, in the order of the text.
        arguments: Those of the call.
        variables: What the call gives variables, by name.
    """
    named: dict[str, Sequence[Word]] = {name: (value,) for name, value in variables.items()}
    for place in body:
        if isinstance(place, Variable):
            named.update(_held_in_call(place, arguments, named))
        elif isinstance(place, Command) and place.program == "shift":
            arguments = arguments[1:]
        elif isinstance(place, Command):
            words = tuple(word for one in place.words for word in _in_call(one, arguments, named))
            if words and words != place.words:
                yield words[:_MOST_WORDS]


def _held_in_call(
    variable: Variable, arguments: Sequence[Word], named: Mapping[str, Sequence[Word]]
) -> Iterator[tuple[str, Sequence[Word]]]:
    """What a variable of the body holds of the arguments, if anything."""
    if variable.use is Use.SET and variable.value is not None:
        items = variable.items or (variable.value,)
        held = tuple(word for item in items for word in _given(item, arguments, named))
        if held != items:
            yield variable.name, held


def _in_call(word: Word, arguments: Sequence[Word], named: Mapping[str, Sequence[Word]]) -> Sequence[Word]:
    """What a word of the body is in a call; ``--device=$1`` is two words then."""
    option, is_joined, raw = word.raw.partition("=")
    if not is_joined or _OPTION.fullmatch(option) is None:
        return _given(word, arguments, named)
    value = Word(word.end - len(raw.encode()), word.end, None, raw)
    found = _given(value, arguments, named)
    if len(found) != 1 or found[0] is value:
        return (word,)
    return (Word(word.start, word.start + len(option), option, option), *found)


def _given(word: Word, arguments: Sequence[Word], named: Mapping[str, Sequence[Word]]) -> Sequence[Word]:
    """The arguments that a word stands for; else the word itself."""
    every, one = _ALL_ARGUMENTS.fullmatch(word.raw), _ONE_ARGUMENT.fullmatch(word.raw)
    if every is not None:
        return arguments[max(0, int(every[1] or 1) - 1) :]
    if one is not None:
        nth = int(one[1] or one[2]) - 1
        return (arguments[nth],) if 0 <= nth < len(arguments) else (word,)
    return named.get(variable_in(word), (word,))
