"""The client for asyncio: the same methods as coroutines. A client belongs to one event loop."""
from __future__ import annotations

import asyncio
import copy
from typing import Any, AsyncIterator, Callable, Generator, List, Optional, Sequence, Union

from ._calls import Call, Pending
from ._loop import LoopRunner
from ._methods import Awaited, AwaitedApp, Batched, Listing, Method, batched, bind_methods
from ._streams import Element, Stream
from ._values import UNSET, Seconds, bool_number, seconds
from .answers import MessageStatus, ServerInfo
from .client import (FIRST_STATUS_PAUSE_SECONDS, MAXIMUM_STATUS_PAUSE_SECONDS, chunks, new_stream, parse_position,
                     position_text, server_info, takes_options)
from .enums import EventKind, MessageState
from .errors import CarillonError, invalid
from .operations import AppOperations, Operations, next_cursor
from .options import Options, app_of_environment, with_environment

__all__ = ["App", "Batch", "Client", "EventStream"]


class Client(Operations, Awaited):
    """A client for asyncio: `async with aio.Client("127.0.0.1:7474", api_key_file="key") as client: …`.

    It has one connection for all calls of all tasks, repeats what may be repeated, and changes servers when one goes.
    `async with` connects; so does `connect`, and without both the first call. A task that is cancelled ends its call:
    `asyncio.CancelledError` says nothing about its effect.
    """

    _is_repeated = True

    @takes_options(Options)
    def __init__(self, options: Options) -> None:
        self._options = options
        self._timeout = seconds(options.request_timeout, "request_timeout")
        # Shared with the copies that `with_options` makes; the runner is made in the loop of the first use.
        self._shared: List[LoopRunner] = []
        self._default_app: Optional[str] = None

    @classmethod
    def from_environment(cls, **options: Any) -> Client:
        """Makes a client of the environment variables `CARILLON_…`; options that are given override them."""
        client = cls(**with_environment(options))
        client._default_app = app_of_environment()
        return client

    def __repr__(self) -> str:
        return f"<carillon.aio.Client {','.join(self._options.addresses)}>"

    async def __aenter__(self) -> Client:
        if not self._options.lazy:
            try:
                await self.connect()
            except BaseException:
                await self.close(0)
                raise
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    @property
    def _runner(self) -> LoopRunner:
        loop = asyncio.get_running_loop()
        if not self._shared:
            self._shared.append(LoopRunner(self._options, loop))
        runner = self._shared[0]
        if runner.loop is not loop:
            raise RuntimeError("an aio.Client belongs to the event loop of its first use")
        return runner

    # The connection

    async def connect(self) -> Client:
        """Opens a connection, or raises why there is none after one round over the addresses."""
        await self._runner.wait_for(self._runner.dispatcher.connect, "connect", self._timeout)
        return self

    async def close(self, drain_timeout: Seconds = UNSET) -> None:
        """Finishes what is written for up to `drain_timeout`, then closes the connections."""
        drain = self._options.drain_timeout if drain_timeout is UNSET else drain_timeout
        await self._runner.close(seconds(drain, "drain_timeout"))

    async def ping(self) -> float:
        """Makes a round trip to the server and returns its duration in seconds.

        The server allows a PING every `server.ping_interval` seconds: a second call waits for that.
        """
        duration: float = await self._runner.wait_for(self._runner.dispatcher.ping, "ping", self._timeout)
        return duration

    @property
    def server(self) -> ServerInfo:
        """The server of the open connection, its limits, and the principal; CANNOT_CONNECT if none is open."""
        return server_info(self._runner.dispatcher)

    @property
    def position(self) -> Optional[str]:
        """The greatest position in the log of the cluster that was seen; None without a cluster.

        It is at or after the entry of every change whose call has returned.
        """
        return position_text(self._runner.dispatcher)

    def read_after(self, position: str) -> None:
        """Lets the calls that follow see what another client has seen: its `position`.

        A node that has not applied the log up to the position waits for that for up to a second, and then answers
        BEHIND. A position of another cluster has no effect while this client is connected.
        """
        cluster, number = parse_position(position)
        self._runner.use(lambda dispatcher, now: dispatcher.read_after(cluster, number, now))

    def with_options(self, *, timeout: Seconds = UNSET, retry: bool = UNSET) -> Client:
        """Returns the same client with another deadline of its calls, or one whose calls are never repeated."""
        other = copy.copy(self)
        if timeout is not UNSET:
            other._timeout = seconds(timeout, "timeout")
        if retry is not UNSET:
            other._is_repeated = bool(bool_number(retry, "retry"))
        return other

    def app(self, name: str = UNSET) -> App:
        """Returns an object for calls about one app; without a name, that of `CARILLON_APP` (`from_environment`)."""
        if name is UNSET and self._default_app:
            name = self._default_app
        if not isinstance(name, str) or not name:
            raise invalid("app", "the name of an app is needed")
        return App(self, name)

    # Calls

    async def _perform(self, call: Call[Any]) -> Any:
        return await self._runner.call(call, self._timeout, self._is_repeated)

    async def _iterate(self, listing: Listing[Any]) -> AsyncIterator[Any]:
        cursor = listing.start
        while cursor is not None:
            page = await self._perform(listing.request(cursor))
            for row in listing.rows(page):
                yield row
            cursor = next_cursor(page)

    def batch(self) -> Batch:
        """Returns a batch: requests of one `async with` block are made together, without a task for each.

        Example::

            async with client.batch() as batch:
                pending = [batch.lookup(app, token) for token in tokens]
            for each in pending:
                print(each.result().state)
        """
        return Batch(self)

    async def wait_until_finished(self, app: str, message_id: int, *, timeout: Seconds = 60.0) -> MessageStatus:
        """Asks for the state of a message until it is finished. NO_ANSWER if that takes longer than `timeout`."""
        runner = self._runner
        end = runner.time() + seconds(timeout, "timeout")
        pause = FIRST_STATUS_PAUSE_SECONDS
        while True:
            left = end - runner.time()
            asking = self.with_options(timeout=max(0.001, min(left, self._timeout)))
            status = await asking.message_status(app, message_id)
            if status.state == MessageState.FINISHED:
                return status
            left = end - runner.time()
            if left <= 0:
                raise CarillonError("NO_ANSWER", "the message was not finished in time", retry_after=0.0)
            await asyncio.sleep(min(pause, left))
            pause = min(MAXIMUM_STATUS_PAUSE_SECONDS, pause * 2)

    # Events

    def events(self, *, name: str = "", start: Union[str, int] = "acknowledged", apps: Sequence[str] = UNSET,
               kinds: Sequence[Union[EventKind, str]] = UNSET, window: int = 256) -> _Subscribing:
        """Subscribes to events (§11): `async with client.events(…) as events`, or `events = await client.events(…)`.

        It returns when the server has accepted the subscription.

        Args:
            name: the server keeps under this name what was acknowledged; empty: it keeps nothing.
            start: `acknowledged`: after what the name has acknowledged; `now`; `oldest`; or after this number.
            apps, kinds: which events; without them, all that the principal may observe.
            window: how many elements are in memory at most.
        """
        runner = self._runner
        stream = new_stream(self._options, runner.time(), self._timeout, name=name, start=start, apps=apps,
                            kinds=kinds, window=window)
        return _Subscribing(EventStream(runner, stream))


class App(AppOperations, AwaitedApp):
    """Calls about one app: the methods of `Client` without their first argument."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name

    def __repr__(self) -> str:
        return f"<carillon.aio.App {self.name}>"

    def with_options(self, *, timeout: Seconds = UNSET, retry: bool = UNSET) -> App:
        """Returns the same app with another deadline of its calls, or one whose calls are never repeated."""
        return App(self._client.with_options(timeout=timeout, retry=retry), self.name)

    async def wait_until_finished(self, message_id: int, *, timeout: Seconds = 60.0) -> MessageStatus:
        """Asks for the state of a message until it is finished. NO_ANSWER if that takes longer than `timeout`."""
        return await self._client.wait_until_finished(self.name, message_id, timeout=timeout)


class Batch(Operations, Batched):
    """Requests that are made together at the end of the `async with` block. Each has its own answer or error."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._calls: List[Call[Any]] = []

    def _made(self, call: Call[Any]) -> Call[Any]:
        self._calls.append(call)
        return call

    async def __aenter__(self) -> Batch:
        return self

    async def __aexit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            await self.perform()

    async def perform(self) -> None:
        """Makes the requests, some thousand at a time, and returns when all have ended. Deadlines begin then."""
        client, calls, self._calls = self._client, self._calls, []
        runner = client._runner
        for chunk in chunks(calls, client._options):
            await runner.call_all(chunk, client._timeout, client._is_repeated)


class EventStream:
    """An asynchronous iterator over events, gaps and `NewHistory`; `async with` ends the subscription.

    It subscribes again by itself when the connection is lost. A program that takes nothing gets nothing more from the
    server: at most `window` elements are in memory.
    """

    def __init__(self, runner: LoopRunner, stream: Stream) -> None:
        self._runner, self._stream = runner, stream

    async def _begin(self) -> None:
        stream = self._stream
        self._runner.use(lambda dispatcher, now: dispatcher.subscribe(stream, now))
        try:
            await self._await(lambda: not stream.is_awaited or stream.has_ended, None)
        except asyncio.CancelledError:
            self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.close(stream))
            raise
        stream.raise_unless_accepted()

    async def _await(self, is_done: Callable[[], bool], timeout: Optional[float]) -> bool:
        end = None if timeout is None else self._runner.time() + timeout
        while not is_done():
            left = None if end is None else end - self._runner.time()
            if left is not None and left <= 0:
                return False
            waiter = self._runner.loop.create_future()
            self._stream.waiters.add(waiter)
            try:
                await asyncio.wait([waiter], timeout=left)
            finally:
                self._stream.waiters.discard(waiter)
        return True

    async def __aenter__(self) -> EventStream:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> Element:
        element = await self.take()
        if element is None:
            raise StopAsyncIteration
        return element

    async def take(self, timeout: Optional[Seconds] = None) -> Optional[Element]:
        """Returns the next element; None if the stream has ended, or if there is none within `timeout`."""
        stream = self._stream
        if not await self._await(stream.has_element_or_end, None if timeout is None else seconds(timeout, "timeout")):
            return None
        element = stream.take()
        self._runner.settle(self._runner.time())
        if element is None and stream.error is not None:
            raise stream.error
        return element

    def acknowledge(self, sequence: int) -> None:
        """Says that the program has processed all events up to this number. It returns at once; `flush` waits.

        If the stream has no name, nothing is acknowledged.
        """
        self._runner.use(lambda dispatcher, now: self._stream.acknowledge(sequence))

    async def flush(self, timeout: Seconds = UNSET) -> None:
        """Waits until everything acknowledged is durable."""
        stream, options = self._stream, self._runner.options
        limit = seconds(options.request_timeout if timeout is UNSET else timeout, "timeout")
        await self._await(lambda: stream.is_durable or stream.has_ended, limit)
        if not stream.is_durable:
            raise stream.error or CarillonError("NO_ANSWER", "the acknowledgement is not durable yet", retry_after=0.0)

    async def close(self) -> None:
        """Sends the last acknowledgement, then ends the subscription; at the latest after `request_timeout`."""
        stream = self._stream
        self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.close(stream))
        timeout = seconds(self._runner.options.request_timeout, "request_timeout")
        if not await self._await(lambda: stream.has_ended, timeout):
            self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.end(stream, None))


class _Subscribing:
    """What `events` returns: it can be awaited, and used with `async with`."""

    def __init__(self, events: EventStream) -> None:
        self._events = events

    async def _begin(self) -> EventStream:
        await self._events._begin()
        return self._events

    def __await__(self) -> Generator[Any, None, EventStream]:
        return self._begin().__await__()

    async def __aenter__(self) -> EventStream:
        return await self._begin()

    async def __aexit__(self, *_: Any) -> None:
        await self._events.close()


# The methods of the operations

def _for_client(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return lambda self, *args, **named: self._iterate(build(self, *args, **named))

    async def perform(self: Any, *args: Any, **named: Any) -> Any:
        return await self._runner.call(build(self, *args, **named), self._timeout, self._is_repeated)
    return perform


def _for_app(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return lambda self, *args, **named: self._client._iterate(build(self, self.name, *args, **named))

    async def perform(self: Any, *args: Any, **named: Any) -> Any:
        client = self._client
        return await client._runner.call(build(self, self.name, *args, **named), client._timeout, client._is_repeated)
    return perform


def _for_batch(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return None

    return batched(build)


bind_methods(Client, _for_client, listing="AsyncIterator")
bind_methods(App, _for_app, is_app=True, listing="AsyncIterator")
bind_methods(Batch, _for_batch)
