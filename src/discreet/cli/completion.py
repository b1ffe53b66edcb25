"""discreet completion: what a shell needs to complete commands and options, written from the parser."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from discreet.cli.options import Commands, add_command

SHELLS = ("bash", "zsh", "fish")


def add(commands: Commands) -> None:
    added = add_command(
        commands,
        "completion",
        run,
        "print a script with which a shell completes commands and options",
        "Prints a script for bash, zsh or fish. Put the line of the example into ~/.bashrc\n"
        "or ~/.zshrc; for fish, save what is printed as\n"
        "~/.config/fish/completions/discreet.fish.",
        'eval "$(discreet completion bash)"',
    )
    added.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    from discreet.cli import parser

    print(script(parser(), arguments.shell), end="")
    return 0


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The whole script. Where nothing is known of what comes next, the shell completes names of files."""
    whole, commands = _options(parser), _commands(parser)
    lines = list(_fish(whole, commands) if shell == "fish" else _bash(whole, commands))
    if shell == "zsh":  # which can run what bash runs
        lines = ["autoload -U +X compinit bashcompinit && compinit && bashcompinit", *lines]
    return "\n".join(lines) + "\n"


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    """Command -> its parser, and what it does."""
    [found] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    summaries = {action.dest: action.help or "" for action in found._choices_actions}
    return {name: (command, summaries[name]) for name, command in found.choices.items()}


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]


def _places(parser: argparse.ArgumentParser) -> list[str]:
    """The words that an argument without a name may be, where they are known."""
    actions = [action for action in parser._actions if not action.option_strings and action.choices]
    return [str(choice) for action in actions for choice in action.choices or ()]


def _bash(whole: Sequence[argparse.Action], commands: dict[str, tuple[argparse.ArgumentParser, str]]) -> Iterator[str]:
    yield "_discreet() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" options="" i'
    yield f'    local words="{" ".join(commands)}"'
    yield "    for ((i = 1; i < COMP_CWORD; i++)); do"
    yield '        case "${COMP_WORDS[i]}" in'
    yield f'            {"|".join(commands)}) command="${{COMP_WORDS[i]}}"; break ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$command" in'
    yield f'        "") options="{_names(whole)}" ;;'
    for name, (command, _) in commands.items():
        yield f'        {name}) options="{_names(_options(command))}"; words="{" ".join(_places(command))}" ;;'
    yield "    esac"
    yield '    [[ "$word" == -* ]] && words="$options"'
    yield '    case "$command $before" in'
    for name, (command, _) in commands.items():
        for action in _options(command):
            if action.nargs != 0:
                patterns = "|".join(f'"{name} {option}"' for option in action.option_strings)
                yield f'        {patterns}) words="{" ".join(map(str, action.choices or ()))}" ;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _discreet discreet"


def _names(actions: Sequence[argparse.Action]) -> str:
    return " ".join(option for action in actions for option in action.option_strings)


def _fish(whole: Sequence[argparse.Action], commands: dict[str, tuple[argparse.ArgumentParser, str]]) -> Iterator[str]:
    first = "__fish_use_subcommand"
    for action in whole:
        yield f"complete -c discreet -n {first}{_fish_option(action)}"
    for name, (command, summary) in commands.items():
        yield f"complete -c discreet -n {first} -f -a {name} -d {_fish_text(summary)}"
        inside = f"'__fish_seen_subcommand_from {name}'"
        for action in _options(command):
            yield f"complete -c discreet -n {inside}{_fish_option(action)}"
        if places := _places(command):
            yield f"complete -c discreet -n {inside} -f -a {_fish_text(' '.join(places))}"


def _fish_option(action: argparse.Action) -> str:
    names = "".join(
        f" -l {option[2:]}" if option.startswith("--") else f" -s {option[1:]}" for option in action.option_strings
    )
    value = "" if action.nargs == 0 else " -r"
    if action.choices:
        value = f" -x -a {_fish_text(' '.join(map(str, action.choices)))}"
    return f"{names}{value} -d {_fish_text(action.help or '')}"


def _fish_text(text: str) -> str:
    return "'" + " ".join(text.split()).replace("\\", "\\\\").replace("'", "\\'") + "'"
