"""How the examples begin and end: an error is one line on standard error, and exit status 1."""
import inspect
import sys
from typing import Callable

from carillon import CarillonError


def example(main: Callable[..., None]) -> None:
    """Runs an example with the arguments of the command line."""
    names = [name.upper() for name in inspect.signature(main).parameters]
    if len(sys.argv) - 1 != len(names):
        sys.exit(f"usage: {' '.join([sys.argv[0], *names])}")
    try:
        main(*sys.argv[1:])
    except CarillonError as error:
        print(f"{error.code} {error.effect}: {error.field or ''}".rstrip(), file=sys.stderr)
        sys.exit(1)
