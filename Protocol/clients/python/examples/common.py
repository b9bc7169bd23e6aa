"""How the examples end: an error is one line on standard error, and exit status 1."""
import sys
from typing import Callable

from carillon import CarillonError


def example(main: Callable[..., None]) -> None:
    """Runs an example with the arguments of the command line."""
    try:
        main(*sys.argv[1:])
    except CarillonError as error:
        print(f"{error.code} {error.effect}: {error.field or ''}".rstrip(), file=sys.stderr)
        sys.exit(1)
