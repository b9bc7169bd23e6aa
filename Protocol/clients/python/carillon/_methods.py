"""How one definition of an operation becomes a method of each client: blocking, asyncio, of one app, of a batch.

`operations.py` defines each operation once, as a function that returns a `Call`. A client class gets a method that
makes the call in its own way. The overloads of `__get__` tell type checkers what that method returns.
"""
from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Coroutine, Generic, Iterator, TypeVar, overload

from ._calls import Call, Pending

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec
    P = ParamSpec("P")
else:
    P = TypeVar("P")

T = TypeVar("T")
Row = TypeVar("Row")


class Listing(Generic[Row]):
    """A read of all rows, page by page: where it starts, the request of the page after a cursor, and the rows of the
    answer."""

    def __init__(self, start: Any, request: Callable[[Any], Call[Any]], rows: Callable[[Any], Any]) -> None:
        self.start, self.request, self.rows = start, request, rows


class Blocking:
    """A client whose methods wait for the answer."""


class BlockingApp:
    """A client of one app whose methods wait for the answer."""


class Awaited:
    """A client whose methods are coroutines."""


class AwaitedApp:
    """A client of one app whose methods are coroutines."""


class Batched:
    """Collects requests that are made together."""


class Method:
    """A definition that `bind_methods` turns into a method of each class of clients."""

    has_app = False
    is_listing = False

    def __init__(self, build: Any) -> None:
        self.build = build
        # What clients call: the definition, or a function that does the same in less time.
        self.implementation = build
        self.__doc__ = build.__doc__


class AppOperation(Method, Generic[P, T]):
    """An operation whose first argument is an app; in a client of one app, that argument is left out."""

    has_app = True

    def __init__(self, build: Callable[Concatenate[Any, str, P], Call[T]]) -> None:
        super().__init__(build)

    @overload
    def __get__(self, client: BlockingApp, owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AwaitedApp, owner: Any) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: Blocking, owner: Any) -> Callable[Concatenate[str, P], T]: ...
    @overload
    def __get__(self, client: Awaited, owner: Any) -> Callable[Concatenate[str, P], Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: Batched, owner: Any) -> Callable[Concatenate[str, P], Pending[T]]: ...
    @overload
    def __get__(self, client: None, owner: Any) -> AppOperation[P, T]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        return self


class ServerOperation(Method, Generic[P, T]):
    """An operation that belongs to no app."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[T]]) -> None:
        super().__init__(build)

    @overload
    def __get__(self, client: Blocking, owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: Awaited, owner: Any) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: Batched, owner: Any) -> Callable[P, Pending[T]]: ...
    @overload
    def __get__(self, client: None, owner: Any) -> ServerOperation[P, T]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        return self


class AppListing(Method, Generic[P, Row]):
    """A listing whose first argument is an app: an iterator over its rows (CONTRACT.md, EVT-12)."""

    has_app = True
    is_listing = True

    def __init__(self, build: Callable[Concatenate[Any, str, P], Listing[Row]]) -> None:
        super().__init__(build)

    @overload
    def __get__(self, client: BlockingApp, owner: Any) -> Callable[P, Iterator[Row]]: ...
    @overload
    def __get__(self, client: AwaitedApp, owner: Any) -> Callable[P, AsyncIterator[Row]]: ...
    @overload
    def __get__(self, client: Blocking, owner: Any) -> Callable[Concatenate[str, P], Iterator[Row]]: ...
    @overload
    def __get__(self, client: Awaited, owner: Any) -> Callable[Concatenate[str, P], AsyncIterator[Row]]: ...
    @overload
    def __get__(self, client: None, owner: Any) -> AppListing[P, Row]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        return self


def bind_methods(kind: type, make: Callable[[Method], Any], *, is_app: bool = False,
                 listing: str = "Iterator") -> None:
    """Gives a class a function for each definition that it inherits, with the documentation of the definition."""
    for name in dir(kind):
        method = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
        if not isinstance(method, Method):
            continue
        bound = make(method)
        if bound is None:
            continue
        functools.update_wrapper(bound, method.build)
        del bound.__wrapped__
        signature = inspect.signature(method.build)
        parameters = [each for each in signature.parameters.values() if not (is_app and each.name == "app")]
        inner = str(signature.return_annotation).partition("[")[2][:-1]
        inner = f"{listing}[{inner}]" if method.is_listing else inner
        bound.__signature__ = signature.replace(parameters=parameters, return_annotation=inner)
        setattr(kind, name, bound)


def batched(build: Any) -> Any:
    """Returns the method of a batch for a definition: the definition itself, whose call the batch keeps (`_made`). It
    encodes the request now, so that a value that cannot be encoded is an error of its own line."""
    method = types.FunctionType(
        build.__code__, build.__globals__, build.__name__, build.__defaults__, build.__closure__)
    method.__kwdefaults__ = build.__kwdefaults__
    return method
