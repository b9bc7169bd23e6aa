"""The blocking client. All its methods may be called from all threads."""
from __future__ import annotations

import copy
import functools
import inspect
import time
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, TYPE_CHECKING, Tuple, TypeVar, Union

from . import _codec as codec
from ._calls import Call, Pending
from ._methods import Batched, Blocking, BlockingApp, Listing, Method, batched, bind_methods
from ._streams import Element, Stream, subscription_fields
from ._threads import Runner
from ._types import UNWRITABLE
from ._values import UNSET, Seconds, bool_number, given_options, seconds, time as to_time
from .answers import MessageStatus, ServerInfo
from .audience import checked_list, checked_texts
from .enums import EventKind, MessageState, Roles, enum_number
from .errors import CarillonError, invalid
from .operations import AppOperations, Operations, next_cursor
from .options import Options, app_of_environment, with_environment

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec
    P = ParamSpec("P")

S = TypeVar("S")
# The first pause between two requests for the state of a message, which doubles, and the longest.
FIRST_STATUS_PAUSE_SECONDS, MAXIMUM_STATUS_PAUSE_SECONDS = 0.02, 2.0
# The number of requests of a batch that are made together, unless fewer may wait.
MAXIMUM_CHUNK_CALLS = 4096


def takes_options(build: Callable[P, Options]) -> Callable[[Callable[[S, Options], None]],
                                                           Callable[Concatenate[S, P], None]]:
    """Lets `__init__` take the arguments of `Options`."""
    def decorate(init: Callable[[S, Options], None]) -> Callable[Concatenate[S, P], None]:
        @functools.wraps(init)
        def wrapped(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
            init(self, build(*args, **kwargs))
        signature = inspect.signature(build)
        itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        wrapped.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[itself, *signature.parameters.values()], return_annotation=None)
        wrapped.__doc__ = build.__doc__
        return wrapped
    return decorate


def server_info(dispatcher: Any) -> ServerInfo:
    """Returns the server of the open connection; CANNOT_CONNECT if there is none."""
    connection = dispatcher.current
    if connection is None or not connection.session.is_open:
        raise dispatcher.servers.error()
    hello, auth = connection.session.hello, connection.session.auth
    return ServerInfo(
        address=connection.address.text, software=hello["software"], epoch=uuid.UUID(bytes=hello["epoch"]),
        clock=to_time(hello["clock"]), frame_limit=hello["frame_limit"], in_flight_limit=hello["in_flight_limit"],
        batch_limit=hello["batch_limit"], keepalive=hello["keepalive_ms"] / 1000,
        ping_interval=hello["ping_interval_ms"] / 1000, idempotency_window=float(hello["idempotency_window_s"]),
        principal=auth.get("principal"),
        grants={each["app"]: Roles(each["roles"]) for each in auth.get("grants", ())}, node=hello.get("node"),
        cluster=uuid.UUID(bytes=hello["cluster"]) if "cluster" in hello else None)


def position_text(dispatcher: Any) -> Optional[str]:
    """Returns the greatest position that was seen, as text; None if there is none."""
    seen = dispatcher.position.seen
    return None if seen is None else f"{uuid.UUID(bytes=seen.cluster)}:{seen.number}"


def parse_position(text: str) -> Tuple[bytes, int]:
    """Reads the text of a position; INVALID_ARGUMENT if it is none."""
    cluster, _, position = text.partition(":") if isinstance(text, str) else ("", "", "")
    try:
        number = int(position)
        if position.isdecimal() and number < 1 << 64:
            return uuid.UUID(cluster).bytes, number
    except ValueError:
        pass
    raise invalid("position", "it is not a text that a client has given as its position")


def new_stream(options: Options, now: float, timeout: float, *, name: str, start: Union[str, int], apps: Any,
               kinds: Any, window: int) -> Stream:
    """Returns a stream of events; INVALID_ARGUMENT for arguments that cannot be meant."""
    tags = given_options({"apps": apps, "kinds": kinds})
    for each in ("apps", "kinds"):
        if each in tags and not checked_list(tags[each], each):
            raise invalid(each, "leave it out: an empty list would mean all")
    if isinstance(start, bool) or not isinstance(start, (str, int)) or \
            isinstance(start, str) and start not in ("acknowledged", "now", "oldest") or \
            not isinstance(start, str) and not 0 <= start < 1 << 64:
        raise invalid("start", "acknowledged, now, oldest or a number is needed")
    if isinstance(window, bool) or not isinstance(window, int) or window < 2:
        raise invalid("window", "a whole number from 2 on is needed")
    fields: Dict[str, Any] = subscription_fields(
        name, checked_texts(tags.get("apps", ()), "apps"),
        [enum_number(EventKind, each, "kinds") for each in tags.get("kinds", ())])
    try:
        codec.OPERATIONS["subscribe_events"].request.write({**fields, "from": 0, "credit": 0})
    except UNWRITABLE:
        raise invalid("name", "the name, an app or a kind cannot be encoded") from None
    return Stream(fields, start, window, now + timeout)


def chunks(calls: List[Call[Any]], options: Options) -> Iterator[List[Call[Any]]]:
    """Divides a batch: no more calls at once than may wait, so that a long one is not refused."""
    size = max(1, min(MAXIMUM_CHUNK_CALLS, options.maximum_waiting_calls))
    for start in range(0, len(calls), size):
        yield calls[start:start + size]


class Client(Operations, Blocking):
    """A client that waits for answers: `with Client("127.0.0.1:7474", api_key_file="key") as client: …`.

    It has one connection for all calls of all threads, repeats what may be repeated, and changes servers when one goes.
    `with` connects; so does `connect`, and without both the first call. A client does not survive a fork.
    """

    _timeout: float
    _is_repeated = True

    @takes_options(Options)
    def __init__(self, options: Options) -> None:
        self._options = options
        self._timeout = seconds(options.request_timeout, "request_timeout")
        self._runner = Runner(options)
        self._default_app: Optional[str] = None

    @classmethod
    def from_environment(cls, **options: Any) -> Client:
        """Makes a client of the environment variables `CARILLON_…`; options that are given override them."""
        client = cls(**with_environment(options))
        client._default_app = app_of_environment()
        return client

    def __repr__(self) -> str:
        return f"<carillon.Client {','.join(self._options.addresses)}>"

    def __enter__(self) -> Client:
        if not self._options.lazy:
            try:
                self.connect()
            except BaseException:
                self.close(0)
                raise
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # The connection

    def connect(self) -> Client:
        """Opens a connection, or raises why there is none after one round over the addresses."""
        self._runner.wait_for(self._runner.dispatcher.connect, "connect", self._timeout)
        return self

    def close(self, drain_timeout: Seconds = UNSET) -> None:
        """Finishes what is written for up to `drain_timeout`, then closes the connections."""
        drain = self._options.drain_timeout if drain_timeout is UNSET else drain_timeout
        self._runner.close(seconds(drain, "drain_timeout"))

    def ping(self) -> float:
        """Makes a round trip to the server and returns its duration in seconds.

        The server allows a PING every `server.ping_interval` seconds: a second call waits for that.
        """
        duration: float = self._runner.wait_for(self._runner.dispatcher.ping, "ping", self._timeout)
        return duration

    @property
    def server(self) -> ServerInfo:
        """The server of the open connection, its limits, and the principal; CANNOT_CONNECT if none is open."""
        with self._runner.lock:
            return server_info(self._runner.dispatcher)

    @property
    def position(self) -> Optional[str]:
        """The greatest position in the log of the cluster that was seen; None without a cluster.

        It is at or after the entry of every change whose call has returned. A program passes it to another one, which
        may read at another node: see `read_after`.
        """
        with self._runner.lock:
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

    def _perform(self, call: Call[Any]) -> Any:
        return self._runner.call(call, self._timeout, self._is_repeated)

    def _iterate(self, listing: Listing[Any]) -> Iterator[Any]:
        cursor = listing.start
        while cursor is not None:
            page = self._perform(listing.request(cursor))
            yield from listing.rows(page)
            cursor = next_cursor(page)

    def batch(self) -> Batch:
        """Returns a batch: requests of one `with` block are made together, which is several times faster.

        Example::

            with client.batch() as batch:
                pending = [batch.lookup(app, token) for token in tokens]
            for each in pending:
                print(each.result().state)
        """
        return Batch(self)

    def wait_until_finished(self, app: str, message_id: int, *, timeout: Seconds = 60.0) -> MessageStatus:
        """Asks for the state of a message until it is finished. NO_ANSWER if that takes longer than `timeout`."""
        end = time.monotonic() + seconds(timeout, "timeout")
        pause = FIRST_STATUS_PAUSE_SECONDS
        while True:
            left = end - time.monotonic()
            asking = self.with_options(timeout=max(0.001, min(left, self._timeout)))
            status = asking.message_status(app, message_id)
            if status.state == MessageState.FINISHED:
                return status
            left = end - time.monotonic()
            if left <= 0:
                raise CarillonError("NO_ANSWER", "the message was not finished in time", retry_after=0.0)
            time.sleep(min(pause, left))
            pause = min(MAXIMUM_STATUS_PAUSE_SECONDS, pause * 2)

    # Events

    def events(self, *, name: str = "", start: Union[str, int] = "acknowledged", apps: Sequence[str] = UNSET,
               kinds: Sequence[Union[EventKind, str]] = UNSET, window: int = 256) -> EventStream:
        """Subscribes to events (§11), and returns when the server has accepted that.

        Args:
            name: the server keeps under this name what was acknowledged; empty: it keeps nothing.
            start: `acknowledged`: after what the name has acknowledged; `now`; `oldest`; or after this number.
            apps, kinds: which events; without them, all that the principal may observe.
            window: how many elements are in memory at most.
        """
        stream = new_stream(self._options, time.monotonic(), self._timeout, name=name, start=start, apps=apps,
                            kinds=kinds, window=window)
        events = EventStream(self._runner, stream)
        events._begin()
        return events


class App(AppOperations, BlockingApp):
    """Calls about one app: the methods of `Client` without their first argument."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name

    def __repr__(self) -> str:
        return f"<carillon.App {self.name}>"

    def with_options(self, *, timeout: Seconds = UNSET, retry: bool = UNSET) -> App:
        """Returns the same app with another deadline of its calls, or one whose calls are never repeated."""
        return App(self._client.with_options(timeout=timeout, retry=retry), self.name)

    def wait_until_finished(self, message_id: int, *, timeout: Seconds = 60.0) -> MessageStatus:
        """Asks for the state of a message until it is finished. NO_ANSWER if that takes longer than `timeout`."""
        return self._client.wait_until_finished(self.name, message_id, timeout=timeout)


class Batch(Operations, Batched):
    """Requests that are made together at the end of the `with` block. Each has its own answer or error."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._calls: List[Call[Any]] = []

    def _made(self, call: Call[Any]) -> Call[Any]:
        self._calls.append(call)
        return call

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.perform()

    def perform(self) -> None:
        """Makes the requests, some thousand at a time, and returns when all have ended. Deadlines begin then."""
        client, calls, self._calls = self._client, self._calls, []
        for chunk in chunks(calls, client._options):
            client._runner.call_all(chunk, client._timeout, client._is_repeated)


class EventStream:
    """An iterator over events, gaps and `NewHistory`; `with` ends the subscription.

    It subscribes again by itself when the connection is lost. A program that takes nothing gets nothing more from the
    server: at most `window` elements are in memory.
    """

    def __init__(self, runner: Runner, stream: Stream) -> None:
        self._runner, self._stream = runner, stream

    def _begin(self) -> None:
        stream = self._stream
        try:
            self._runner.use(lambda dispatcher, now: dispatcher.subscribe(stream, now))
            self._await(lambda: not stream.is_awaited or stream.has_ended, None)
        except BaseException:  # an interruption, such as KeyboardInterrupt
            self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.close(stream))
            raise
        stream.raise_unless_accepted()

    def _await(self, is_done: Callable[[], bool], timeout: Optional[float]) -> bool:
        with self._runner.changed:
            return self._runner.changed.wait_for(is_done, timeout)

    def __enter__(self) -> EventStream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> EventStream:
        return self

    def __next__(self) -> Element:
        element = self.take()
        if element is None:
            raise StopIteration
        return element

    def take(self, timeout: Optional[Seconds] = None) -> Optional[Element]:
        """Returns the next element; None if the stream has ended, or if there is none within `timeout`."""
        stream = self._stream
        end = None if timeout is None else time.monotonic() + seconds(timeout, "timeout")
        taken: List[Optional[Element]] = []
        while True:
            self._runner.use(lambda dispatcher, now: taken.append(stream.take()))
            element = taken.pop()
            if element is not None:
                return element
            if stream.has_ended:
                break
            left = None if end is None else end - time.monotonic()
            # Another thread can take what this one was woken for.
            if left is not None and left <= 0 or not self._await(stream.has_element_or_end, left):
                return None
        if stream.error is not None:
            raise stream.error
        return None

    def acknowledge(self, sequence: int) -> None:
        """Says that the program has processed all events up to this number. It returns at once; `flush` waits.

        If the stream has no name, nothing is acknowledged.
        """
        self._runner.use(lambda dispatcher, now: self._stream.acknowledge(sequence))

    def flush(self, timeout: Seconds = UNSET) -> None:
        """Waits until everything acknowledged is durable."""
        stream, options = self._stream, self._runner.options
        limit = seconds(options.request_timeout if timeout is UNSET else timeout, "timeout")
        self._await(lambda: stream.is_durable or stream.has_ended, limit)
        if not stream.is_durable:
            raise stream.error or CarillonError("NO_ANSWER", "the acknowledgement is not durable yet", retry_after=0.0)

    def close(self) -> None:
        """Sends the last acknowledgement, then ends the subscription; at the latest after `request_timeout`."""
        stream = self._stream
        self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.close(stream))
        timeout = seconds(self._runner.options.request_timeout, "request_timeout")
        if not self._await(lambda: stream.has_ended, timeout):
            self._runner.use(lambda dispatcher, now: dispatcher.subscriptions.end(stream, None))


# The methods of the operations

def _for_client(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return lambda self, *args, **named: self._iterate(build(self, *args, **named))
    return lambda self, *args, **named: self._perform(build(self, *args, **named))


def _for_app(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return lambda self, *args, **named: self._client._iterate(build(self, self.name, *args, **named))
    return lambda self, *args, **named: self._client._perform(build(self, self.name, *args, **named))


def _for_batch(method: Method) -> Any:
    build = method.implementation
    if method.is_listing:
        return None

    return batched(build)


bind_methods(Client, _for_client)
bind_methods(App, _for_app, is_app=True)
bind_methods(Batch, _for_batch)
