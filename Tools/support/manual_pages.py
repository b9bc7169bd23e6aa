#!/usr/bin/env python3
"""Writes the manual pages and completion scripts of the programs, made from their help.

    Tools/support/manual_pages.py --programs FOLDER --manual FOLDER --completions FOLDER [--date YYYY-MM-DD] NAME…

A program that uses ArgumentParser describes itself as JSON (--experimental-dump-help): it gets a page for itself and
one for each of its commands, as carillon-send(1). carillond, and scripts, have a help of their own, whose form is
simple: a first line `NAME: what it does.`, texts, examples that are indented, and options as `  --name VALUE
[default]` with their texts below them. They get one page. Section 8 is for servers.
"""
from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

SHELL_FILES = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}


@dataclass
class Option:
    """An option of a program's own help: its name, what follows it, and its text."""

    name: str
    value: str
    lines: List[str] = field(default_factory=list)


def output(*command: str) -> str:
    """The output of a command, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}, {len(done.stdout)} characters: {done.stderr}")
    return done.stdout


# roff

def escaped(text: str) -> str:
    """Text for roff: no character of it is a command, and a hyphen is the keyboard's minus."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("~", r"\(ti").replace("^", r"\(ha")
    text = text.replace("`", r"\(ga").replace("'", r"\(aq")
    return r"\&" + text if text.startswith(".") else text


def macro(name: str, *arguments: str) -> str:
    """A request with quoted arguments."""
    return " ".join(["." + name, *('"' + escaped(argument).replace('"', r"\(dq") + '"' for argument in arguments)])


def bold(text: str) -> str:
    """Words that are typed as they stand."""
    return rf"\fB{escaped(text)}\fP"


def italic(text: str) -> str:
    """A word that stands for a value."""
    return rf"\fI{escaped(text)}\fP"


def paragraphs(text: str) -> List[str]:
    """A text with paragraphs that are filled, and indented lines that stay as they are."""
    lines: List[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        kept: List[str] = []
        lines.append(".PP")
        for line in block.split("\n"):
            if line.startswith("  "):
                kept.append(line)
                continue
            lines += literal(kept)
            kept = []
            lines.append(escaped(line))
        lines += literal(kept)
    return lines


def literal(kept: List[str]) -> List[str]:
    """Lines that are neither filled nor hyphenated, without their common indentation."""
    if not kept:
        return []
    return [".RS 2", ".nf", *map(escaped, textwrap.dedent("\n".join(kept)).split("\n")), ".fi", ".RE"]


@dataclass
class Edition:
    """The facts in the head of every page: the version, and the date of the release."""

    version: str
    day: str

    def page(self, name: str, section: int, abstract: str, body: List[str]) -> str:
        """A whole page."""
        source = macro("", f"Carillon {self.version}", "Carillon")[2:]
        head = [f'{macro("TH", name.upper(), str(section))} {self.day} {source}',
                ".nh", ".ad l", macro("SH", "NAME"), rf"{escaped(name)} \- {escaped(abstract)}"]
        lines = [*head, *body]
        # A section begins a paragraph by itself.
        return "".join(line + "\n" for before, line in zip(["", *lines], lines)
                       if not (line == ".PP" and before.startswith(".SH")))


def abstract_of(text: str) -> str:
    """The text of a section NAME: one line, without a capital or a full stop."""
    line = " ".join(text.split()).rstrip(".")
    is_name = line[:2].isupper() or line[:1].isupper() and line[1:2] in " "
    return line if is_name and not line.startswith("A ") else line[:1].lower() + line[1:]


# Programs with ArgumentParser

def spelled(name: Dict[str, str]) -> str:
    """A name of an option with its dashes."""
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def argument_lines(argument: Dict[str, Any]) -> List[str]:
    """An argument or option with its text."""
    value = italic(argument.get("valueName", "value"))
    if argument["kind"] == "positional":
        head = value
    else:
        names = ", ".join(bold(spelled(name)) for name in argument["names"])
        head = names if argument["kind"] == "flag" else f"{names} {value}"
    text = argument.get("abstract", "")
    if argument.get("discussion"):
        text += "\n\n" + argument["discussion"]
    if argument.get("allValues"):
        text += f" (values: {', '.join(argument['allValues'])})"
    if argument.get("defaultValue"):
        text += f" (default: {argument['defaultValue']})"
    # A paragraph macro would end the indentation of the option.
    body = [".IP" if line == ".PP" else line for line in paragraphs(text.strip())][1:] if text.strip() else []
    return [".TP", head, *body]


def synopsis(words: str, command: Dict[str, Any]) -> str:
    """The line of the synopsis: the words of the command, its required arguments, and the optional ones."""
    parts = [bold(words)]
    shown = [each for each in command.get("arguments", []) if each["shouldDisplay"]]
    if command.get("subcommands"):
        parts.append(italic("command"))
    for each in shown:
        if each["kind"] == "option" and not each["isOptional"]:
            parts.append(f"{bold(spelled(each['preferredName']))} {italic(each['valueName'])}")
    if any(each["kind"] != "positional" and each["isOptional"] for each in shown):
        parts.append(f"[{italic('options')}]")
    for each in shown:
        if each["kind"] == "positional":
            text = italic(each["valueName"]) + (" ..." if each["isRepeating"] else "")
            parts.append(f"[{text}]" if each["isOptional"] else text)
    return " ".join(parts)


def command_pages(edition: Edition, command: Dict[str, Any], path: Tuple[str, ...] = ()) -> Dict[str, str]:
    """The pages of a command and of the commands below it, by file name."""
    path = (*path, command["commandName"])
    name = "-".join(path)
    body = [macro("SH", "SYNOPSIS"), synopsis(" ".join(path), command)]
    abstract = command.get("abstract", "")
    body += [macro("SH", "DESCRIPTION"), *paragraphs(abstract)]
    if command.get("discussion"):
        body += paragraphs(command["discussion"])
    sections: Dict[str, List[str]] = {}
    for each in command.get("arguments", []):
        if each["shouldDisplay"]:
            plain = "ARGUMENTS" if each["kind"] == "positional" else "OPTIONS"
            sections.setdefault((each.get("sectionTitle") or plain).upper(), []).extend(argument_lines(each))
    # The options of the command itself come before the options that it shares with others.
    for title in sorted(sections, key=lambda title: (title != "ARGUMENTS", title != "OPTIONS")):
        body += [macro("SH", title), *sections[title]]
    below = [each for each in command.get("subcommands", []) if each["shouldDisplay"] and each["commandName"] != "help"]
    if below:
        body.append(macro("SH", "COMMANDS"))
        for each in below:
            body += [".TP", rf"\fB{escaped('-'.join((*path, each['commandName'])))}\fP(1)", escaped(each["abstract"])]
    if len(path) > 1:
        body += [macro("SH", "SEE ALSO"), rf"\fB{escaped('-'.join(path[:-1]))}\fP(1)"]
    pages = {f"{name}.1": edition.page(name, 1, abstract_of(abstract), body)}
    for each in below:
        pages.update(command_pages(edition, each, path))
    return pages


# Programs with a help of their own

# The line of an option: its name, and the value and the default that follow it.
OPTION_HEAD = re.compile(r"  (--[a-z][\w-]*)(.*)$")
# The beginning of the lines below an option.
BELOW_OPTION = "      "


def own_options(help_text: str) -> List[Option]:
    """The options of a help, with the lines below them."""
    options: List[Option] = []
    for line in help_text.split("\n"):
        head = OPTION_HEAD.match(line)
        if head:
            options.append(Option(head[1], head[2].strip()))
        elif options and line.startswith(BELOW_OPTION):
            options[-1].lines.append(line.strip())
        elif options and line.strip():
            break
    return options


def help_parts(text: str) -> List[Union[Option, List[str]]]:
    """The parts of a help in their order: options with the lines below them, and the lines between options. An option
    that has no line below it is one of the lines."""
    lines = text.strip("\n").split("\n")
    parts: List[Union[Option, List[str]]] = [[]]
    for line, next_line in zip(lines, [*lines[1:], ""]):
        head, last = OPTION_HEAD.match(line), parts[-1]
        if head and next_line.startswith(BELOW_OPTION):
            parts.append(Option(head[1], head[2].strip()))
        elif isinstance(last, list):
            last.append(line)
        elif line.startswith(BELOW_OPTION):
            last.lines.append(line.strip())
        else:
            parts.append([line])
    return parts


def own_page(edition: Edition, name: str, section: int, help_text: str) -> Tuple[str, str]:
    """The page of a program with a help of its own, with its file name."""
    first, _, rest = help_text.partition("\n")
    abstract = first.removeprefix(f"{name}:").strip()
    usage, _, rest = rest.strip("\n").partition("\n\n")
    body = [macro("SH", "SYNOPSIS"), *literal(usage.split("\n")), macro("SH", "DESCRIPTION")]
    for part in help_parts(rest):
        if isinstance(part, Option):
            body += [".TP", f"{bold(part.name)} {escaped(part.value)}", *map(escaped, part.lines)]
        elif "".join(part).strip():
            body += paragraphs("\n".join(part))
    return f"{name}.{section}", edition.page(name, section, abstract_of(abstract), body)


def own_completions(name: str, commands: List[str], options: List[Option]) -> Dict[str, str]:
    """The completion scripts of a program with a help of its own, by file name."""
    words = [*commands, *(option.name for option in options)]
    function = "_" + name.replace("-", "_")
    fish = [f"complete -c {name} -n __fish_use_subcommand -f -a '{' '.join(commands)}'"]
    fish += [f"complete -c {name} -l {option.name.removeprefix('--')}{' -r' if option.value else ''}"
             + (f" -d '{fish_text(option.lines[0])}'" if option.lines else "") for option in options]
    zsh = "\n".join(f"    {quoted_for_zsh(option)} \\" for option in options)
    return {
        name: f"""{function}() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
    case $word in
    -*) COMPREPLY=($(compgen -W "{' '.join(option.name for option in options)}" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
    [ "$COMP_CWORD" != 1 ] || COMPREPLY=($(compgen -W "{' '.join(words)}" -- "$word"))
}}
complete -o filenames -F {function} {name}
""",
        f"_{name}": f"""#compdef {name}
_arguments -S \\
{zsh}
    '1: :({' '.join(commands)})' \\
    '*:file:_files'
""",
        f"{name}.fish": "\n".join(fish) + "\n"}


def fish_text(text: str) -> str:
    """A text inside single quotes of fish."""
    return text.replace("\\", "\\\\").replace("'", "\\'")


def quoted_for_zsh(option: Option) -> str:
    """An option as an argument of zsh's _arguments."""
    text = re.sub(r"([\\:\[\]])", r"\\\1", option.lines[0]) if option.lines else ""
    value = ":value:_files" if option.value else ""
    return "'" + f"{option.name}[{text}]{value}".replace("'", "'\\''") + "'"


def main() -> int:
    """Writes the pages and the scripts of the programs that the arguments name."""
    parser = argparse.ArgumentParser(prog="Tools/support/manual_pages.py", description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--manual", type=Path, required=True)
    parser.add_argument("--completions", type=Path, required=True)
    parser.add_argument("--date", default=date.today().isoformat(), help="the date of the pages (today)")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    options.manual.mkdir(parents=True, exist_ok=True)
    options.completions.mkdir(parents=True, exist_ok=True)
    for name in options.names:
        program = str(options.programs / name)
        write_program(name, program, options.manual, options.completions, options.date)
    return 0


def write_program(name: str, program: str, manual: Path, completions: Path, day: str) -> None:
    """Writes the pages and the completion scripts of one program."""
    edition = Edition(output(program, "--version").split()[1], day)
    described = dumped_help(program)
    if described:
        pages = command_pages(edition, described)
        # A script that a shell reads is not a program.
        scripts = {form.format(name): output(program, "--generate-completion-script",
                                             shell).removeprefix("#!/bin/bash\n")
                   for shell, form in SHELL_FILES.items()}
    else:
        text = output(program, "--help")
        pages = dict([own_page(edition, name, 8 if name.endswith("d") else 1, text)])
        words = sorted(set(re.findall(rf"^  {name} ([a-z-][\w-]*)", text, re.MULTILINE)))
        named = [Option(word, "FILE" if word == "--config" else "") for word in words if word.startswith("--")]
        scripts = own_completions(name, [word for word in words if word[0] != "-"], named + own_options(text))
    for folder, files in ((manual, pages), (completions, scripts)):
        for file, content in files.items():
            (folder / file).write_text(content)


def dumped_help(program: str) -> Optional[Dict[str, Any]]:
    """The description of a program that uses ArgumentParser; None for another."""
    done = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["command"] if done.returncode == 0 and done.stdout.startswith("{") else None


if __name__ == "__main__":
    sys.exit(main())
