"""The shell with asyncio: the transports of an event loop move the bytes of a client's connections."""
from __future__ import annotations

import asyncio
import socket
import ssl
from typing import Any, Callable, Dict, List, Optional, Set, Union

from ._calls import Call, Waiter
from ._connection import Connection
from ._call_dispatcher import Action, CallDispatcher
from ._net import allowed_candidates, connect_error, server_name, tls_context
from ._results import perform_reports
from ._streams import Stream
from ._values import FOREVER
from .errors import CarillonError, connection_lost
from .options import Options

# The time that a closed connection has for its last bytes.
LINGER_SECONDS = 2.0


class ConnectionProtocol(asyncio.Protocol):
    """One connection: passes on what comes, and holds back while the transport is full."""

    def __init__(self, loop: LoopRunner, connection: Connection) -> None:
        self.runner, self.connection = loop, connection
        self.transport: Optional[asyncio.Transport] = None
        self.is_full = False
        self.error: Optional[Exception] = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins to use a socket that is connected, TLS included."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        connected = transport.get_extra_info("socket")
        if connected is not None and connected.family != socket.AF_UNIX:
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.runner.connected(self)

    def data_received(self, data: bytes) -> None:
        """Gives bytes of the server to the dispatcher."""
        runner = self.runner
        now = runner.time()
        runner.dispatcher.received(self.connection, data, now)
        runner.settle(now)

    def eof_received(self) -> bool:
        """Returns false: asyncio closes the transport, because the server has closed, and all that it sent is read."""
        return False

    def connection_lost(self, exc: Optional[Exception]) -> None:
        """Tells the runner that the connection has ended."""
        self.runner.lost(self, exc)

    def pause_writing(self) -> None:
        """Lets requests wait in the dispatcher, because the transport is full."""
        self.is_full = True

    def resume_writing(self) -> None:
        """Writes on, because the transport has room again."""
        self.is_full = False
        self.runner.settle(self.runner.time())


class LoopRunner:
    """A dispatcher on an event loop; it belongs to that loop alone."""

    def __init__(self, options: Options, loop: asyncio.AbstractEventLoop) -> None:
        self.options, self.loop = options, loop
        self.dispatcher = CallDispatcher(options)
        self.time = loop.time
        self.protocols: Dict[Connection, ConnectionProtocol] = {}
        self.tasks: Set[asyncio.Task[None]] = set()
        self.timer: Optional[asyncio.TimerHandle] = None
        self.timer_at = FOREVER
        self.is_scheduled = False
        self.closed: asyncio.Future[None] = loop.create_future()

    # Programs

    async def call(self, call: Call[Any], timeout: float, is_repeated: bool) -> Any:
        """Makes a call and returns its value; raises its error."""
        # This repeats `begin` and `result`: two more calls of functions for each request would cost too much.
        call.begin_at(self.time(), timeout, is_repeated)
        call.end_signal = self.loop.create_future()
        self.dispatcher.start(call, call.started_at)
        if not self.is_scheduled:
            self._settle_soon()
        try:
            await call.end_signal
        except asyncio.CancelledError:
            self.cancel(call)
            raise
        if call.error is not None:
            raise call.error
        return call.value

    def begin(self, call: Call[Any]) -> None:
        """Begins a call. All calls of one turn of the loop go out in one write."""
        call.end_signal = self.loop.create_future()
        self.dispatcher.start(call, call.started_at)
        self._settle_soon()

    def _settle_soon(self) -> None:
        if not self.is_scheduled:
            self.is_scheduled = True
            self.loop.call_soon(self._settle_now)

    def _settle_now(self) -> None:
        self.is_scheduled = False
        self.settle(self.time())

    async def result(self, call: Union[Call[Any], Waiter]) -> Any:
        """Waits for the end of what has begun; a cancelled task cancels it."""
        try:
            await call.end_signal
        except asyncio.CancelledError:
            self.cancel(call)
            raise
        if call.error is not None:
            raise call.error
        return call.value

    def cancel(self, call: Union[Call[Any], Waiter]) -> None:
        """Ends a call whose caller waits no longer."""
        now = self.time()
        self.dispatcher.cancel(call, now)
        self.settle(now)

    async def wait_for(self, begin: Callable[[Waiter, float], None], name: str, timeout: float) -> Any:
        """Begins what is not a request (`connect`, `ping`) and waits for it."""
        now = self.time()
        waiter = Waiter(name, now, timeout)
        waiter.end_signal = self.loop.create_future()
        begin(waiter, now)
        self.settle(now)
        return await self.result(waiter)

    async def call_all(self, calls: List[Call[Any]], timeout: float, is_repeated: bool) -> None:
        """Makes calls together and waits for all of them; each has its value or its error afterwards."""
        if not calls:
            return
        group = _CallGroup(len(calls), self.loop.create_future())
        now = self.time()
        deadline = now + timeout
        for call in calls:  # as `begin_at`, for many
            call.started_at, call.deadline, call.is_repeated, call.end_signal = now, deadline, is_repeated, group
        self.dispatcher.start_all(calls, now)
        self.settle(now)
        try:
            await group.future
        except asyncio.CancelledError:
            for call in calls:
                self.dispatcher.cancel(call, self.time())
            self.settle(self.time())
            raise

    def use(self, work: Callable[[CallDispatcher, float], object]) -> None:
        """Runs `work(dispatcher, now)`."""
        now = self.time()
        work(self.dispatcher, now)
        self.settle(now)

    async def close(self, drain: float) -> None:
        """Ends the client, and returns when its connections are closed."""
        self.use(lambda dispatcher, now: dispatcher.close(now, drain))
        await asyncio.shield(self.closed)

    # The loop

    def settle(self, now: float) -> None:
        """Does what the last step of the dispatcher asks for: writes, ends calls, performs commands, sets the timer."""
        dispatcher = self.dispatcher
        connection = dispatcher.current
        if connection is not None and connection.transport is not None:
            self._flush(connection, now)
        for connection in dispatcher.draining:
            if connection.session.control:
                self._flush(connection, now)
        if dispatcher.results.finished:
            self._pass_on()
        if dispatcher.commands:
            self._perform_commands()
        if dispatcher.results.changed_streams:
            streams, dispatcher.results.changed_streams = dispatcher.results.changed_streams, []
            for stream in streams:
                _notify(stream)
        if dispatcher.wake_at < self.timer_at:
            self._set_timer()
        if dispatcher.is_closed and not self.protocols:
            self._end()
        if dispatcher.results.reports:
            reports, dispatcher.results.reports = dispatcher.results.reports, []
            perform_reports(reports, now)

    def _flush(self, connection: Connection, now: float) -> None:
        protocol = self.protocols.get(connection)
        if protocol is None or protocol.transport is None:
            return
        while not protocol.is_full:
            data = self.dispatcher.output(connection, now)
            if not data:
                return
            protocol.transport.write(data)

    def _pass_on(self) -> None:
        finished, self.dispatcher.results.finished = self.dispatcher.results.finished, []
        for call in finished:
            signal = call.end_signal
            if isinstance(signal, _CallGroup):
                signal.left -= 1
                if signal.left == 0 and not signal.future.done():
                    signal.future.set_result(None)
            elif not signal.done():
                signal.set_result(None)

    def _set_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer_at = self.dispatcher.wake_at
        self.timer = None if self.timer_at == FOREVER else self.loop.call_at(self.timer_at, self._on_timer)

    def _on_timer(self) -> None:
        self.timer, self.timer_at = None, FOREVER
        now = self.time()
        if now >= self.dispatcher.wake_at:
            self.dispatcher.tick(now)
        self.settle(now)

    def _end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        for task in self.tasks:
            task.cancel()
        if not self.closed.done():
            self.closed.set_result(None)

    # Connections

    def _perform_commands(self) -> None:
        while self.dispatcher.commands:
            action, connection = self.dispatcher.commands.pop(0)
            if action is Action.CONNECT:
                task = self.loop.create_task(self._connect(connection))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            elif connection in self.protocols:
                self._close_connection(connection)

    def _close_connection(self, connection: Connection) -> None:
        self._flush(connection, self.time())
        transport = self.protocols[connection].transport
        if transport is not None:
            transport.close()
            self.loop.call_later(LINGER_SECONDS, transport.abort)

    async def _connect(self, connection: Connection) -> None:
        """Opens a connection. If that fails, the dispatcher gets the error."""
        try:
            await self._open(connection)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            failure = connect_error(error)
            self.use(lambda dispatcher, now: dispatcher.ended(connection, failure, now))

    async def _open(self, connection: Connection) -> None:
        """Resolves an address and connects. Each resolved address gets its share of the time (CONTRACT.md, ADR-7)."""
        address, failure = connection.address, None
        context = tls_context(self.options, address)
        if address.path:
            await self.loop.create_unix_connection(lambda: ConnectionProtocol(self, connection), address.path)
            return
        candidates = allowed_candidates(self.options, address, await self.loop.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM))
        name = server_name(self.options, address) if context is not None else None
        for index, (family, where) in enumerate(candidates):
            share = max(0.01, (connection.gives_up_at - self.time()) / (len(candidates) - index))
            try:
                await asyncio.wait_for(self.loop.create_connection(
                    lambda: ConnectionProtocol(self, connection), where[0], where[1], family=family, ssl=context,
                    server_hostname=name), share)
                return
            except (OSError, asyncio.TimeoutError) as error:
                failure = error
                if isinstance(error, ssl.SSLCertVerificationError):
                    break
        raise failure or OSError("no address")

    def connected(self, protocol: ConnectionProtocol) -> None:
        """Begins to use a transport that is connected; aborts it if the dispatcher has given the connection up."""
        connection, transport = protocol.connection, protocol.transport
        if connection.has_ended or transport is None:
            protocol.connection.transport = None
            if transport is not None:
                transport.abort()
            return
        connection.transport = transport
        self.protocols[connection] = protocol
        self.settle(self.time())

    def lost(self, protocol: ConnectionProtocol, error: Optional[Exception]) -> None:
        """Tells the dispatcher that a connection has ended, unless the dispatcher has given it up before."""
        self.protocols.pop(protocol.connection, None)
        if protocol.connection.transport is None:
            return
        failure: Optional[CarillonError] = None
        if error is not None:
            failure = connection_lost(f"the connection has ended: {error}", error)
        self.use(lambda dispatcher, now: dispatcher.ended(protocol.connection, failure, now))


class _CallGroup:
    """Calls that one task waits for together."""

    def __init__(self, size: int, future: asyncio.Future[None]) -> None:
        self.left, self.future = size, future


def _notify(stream: Stream) -> None:
    """Wakes the tasks that wait for a stream."""
    for waiter in stream.waiters:
        if not waiter.done():
            waiter.set_result(None)
