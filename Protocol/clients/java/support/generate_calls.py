#!/usr/bin/env python3
"""Makes `AppCalls`, `BlockingCalls` and `BlockingAppCalls` of `Calls`, with its documentation.

    generate_calls.py            writes the three files
    generate_calls.py --check    says whether they are as it would write them

`Calls.java` is written by hand. An app variant has no parameter `app`; a blocking variant returns the result itself.
"""
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple

FOLDER = Path(__file__).resolve().parent.parent / "src/main/java/carillon/client"
METHOD = re.compile(r"    (/\*\*\n(?:     \*.*\n)+)    public ([\w<>]+) (\w+)\(([^)]*)\) \{\n")
# Methods of `Calls` that are no operations.
OTHERS = {"with", "blocking", "app"}
IMPORTS = {"Collection": "java.util.Collection", "List": "java.util.List", "Duration": "java.time.Duration",
           "Instant": "java.time.Instant", "CompletableFuture": "java.util.concurrent.CompletableFuture"}
WIDTH = 120


class Method(NamedTuple):
    """A method of `Calls`; parameters are texts such as `String app`."""

    comment: str
    returns: str
    name: str
    parameters: List[str]


def methods() -> List[Method]:
    """Reads the operations of `Calls`."""
    text = (FOLDER / "Calls.java").read_text("utf-8")
    found = [Method(comment, returns, name, re.split(r",\s+", parameters.strip()))
             for comment, returns, name, parameters in METHOD.findall(text)]
    return [method for method in found if method.name not in OTHERS]


def without_app(method: Method) -> Method:
    """Returns the method without the parameter `app`."""
    comment = re.sub(r"     \* @param app .*\n", "", method.comment)
    return method._replace(comment=comment, parameters=[each for each in method.parameters if each != "String app"])


def blocking(method: Method) -> Method:
    """Returns the method that waits."""
    inner = re.fullmatch(r"CompletableFuture<(.*)>", method.returns)
    if not inner:
        return method
    returns = {"Long": "long"}.get(inner[1], inner[1])
    comment = method.comment.replace("     */", "     * @throws CarillonException if the call fails\n     */")
    return method._replace(comment=comment, returns=returns)


def signature(method: Method) -> str:
    """Returns the head of a method, in lines that are not too long."""
    head = f"    public {method.returns} {method.name}("
    line = head + ", ".join(method.parameters) + ") {"
    if len(line) <= WIDTH:
        return line
    lines, current = [head], "       "
    for index, parameter in enumerate(method.parameters):
        text = parameter + (") {" if index == len(method.parameters) - 1 else ",")
        if len(current) + len(text) + 1 > WIDTH:
            lines.append(current)
            current = "       "
        current += " " + text
    return "\n".join([*lines, current])


def body(original: Method, method: Method, target: str) -> str:
    """Returns the statement that calls the original."""
    names = [each.rpartition(" ")[2] for each in original.parameters]
    call = f"{target}.{original.name}({', '.join(names)})"
    waits = method.returns != original.returns
    return f"        return {'BlockingWait.result(() -> ' + call + ')' if waits else call};"


class Variant(NamedTuple):
    """A class made of `Calls`; `about` is its documentation."""

    name: str
    about: str
    has_app: bool
    waits: bool

    @property
    def arguments(self) -> str:
        """The arguments of its constructor after the calls."""
        return ", app" if self.has_app else ""


VARIANTS = [
    Variant("AppCalls", "The operations about one app, as futures; see {@link Calls}.", has_app=True, waits=False),
    Variant("BlockingCalls", "The operations as methods that wait; see {@link Calls}. An interrupt ends a call.",
            has_app=False, waits=True),
    Variant("BlockingAppCalls", "The operations about one app as methods that wait; see {@link Calls}.",
            has_app=True, waits=True),
]


def operations(variant: Variant) -> str:
    """Returns the methods that call those of `Calls`."""
    parts = []
    for original in methods():
        if variant.has_app and "String app" not in original.parameters:
            continue
        method = without_app(original) if variant.has_app else original
        method = blocking(method) if variant.waits else method
        parts.append(f"    {method.comment}{signature(method)}\n{body(original, method, 'calls')}\n    }}\n")
    return "\n".join(parts)


def imports(text: str) -> str:
    """Returns the imports for the types that a text names outside of its comments."""
    code = re.sub(r"\s+\*.*", "", text)
    paths = sorted(path for word, path in IMPORTS.items() if re.search(rf"\b{word}\b", code))
    return "".join(f"import {path};\n" for path in paths)


def constructor(variant: Variant) -> str:
    """Returns the fields and the constructor."""
    fields = "    private final Calls calls;\n" + ("    private final String app;\n" if variant.has_app else "")
    parameters = "Calls calls" + (", String app" if variant.has_app else "")
    sets = "        this.calls = calls;\n" + ("        this.app = app;\n" if variant.has_app else "")
    return f"{fields}\n    {variant.name}({parameters}) {{\n{sets}    }}\n"


def views(variant: Variant) -> str:
    """Returns the methods that change options, or lead from futures to waiting."""
    text = f"""    /**
     * Returns the same operations with other options.
     *
     * @param options a deadline, or no retries
     * @return the operations; they belong to the same client
     */
    public {variant.name} with(CallOptions options) {{
        return new {variant.name}(calls.with(options){variant.arguments});
    }}

"""
    if variant.waits:
        return text
    return text + """    /**
     * Returns the same operations as methods that wait.
     *
     * @return the operations; they belong to the same client
     */
    public BlockingAppCalls blocking() {
        return new BlockingAppCalls(calls, app);
    }

"""


def make(variant: Variant) -> str:
    """Returns the file of a variant."""
    methods_text = operations(variant)
    return (f"// Long: made by support/generate_calls.py of Calls.java. Do not edit.\npackage "
            f"carillon.client;\n\n{imports(methods_text)}\n"
            f"/** {variant.about} */\npublic final class {variant.name} {{\n{constructor(variant)}\n"
            f"{views(variant)}{methods_text}}}\n")


def main(arguments: List[str]) -> int:
    """Writes or checks the files."""
    made = {f"{variant.name}.java": make(variant) for variant in VARIANTS}
    if arguments == ["--check"]:
        stale = [name for name, text in made.items() if (FOLDER / name).read_text("utf-8") != text]
        print("\n".join(f"{name} is not as generate_calls.py makes it" for name in stale), end="\n" if stale else "")
        return 1 if stale else 0
    for name, text in made.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
