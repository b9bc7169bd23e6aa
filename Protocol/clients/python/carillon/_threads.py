"""The shell with threads: one background thread moves the bytes of a client's connections.

A change of threads costs more than all the rest of a call. So a thread that makes a call writes the request itself if the
socket has room; and if it is the only one that waits, it *leads*: it also reads the socket itself until it has its answer.
The background thread does not watch the socket meanwhile, and takes it back when nothing has led for a moment. Timers
and connecting are always its work.
"""
from __future__ import annotations

import os
import select
import selectors
import socket
import threading
import time
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Tuple, Union

from ._calls import DONE, WRITTEN, Call, Request, Waiter
from ._core import FOREVER, Core, Link, perform_reports
from ._net import connect_error
from ._sockets import BUSY, Transport, open_socket
from ._streams import Stream
from .errors import CarillonError, lost
from .options import Options

READ_SIZE = 1 << 16
_monotonic = time.monotonic
_new_lock = threading.Lock
# Seconds after its deadline at which a thread stops to wait for a call, should the background thread have failed.
GRACE = 10.0
# Seconds without a leading thread after which the background thread watches the socket again.
IDLE = 0.02
CAN_LEAD = hasattr(select, "poll")


class Group:
    """Calls that one thread waits for together; `released` when none is left."""

    def __init__(self, calls: List[Call]) -> None:
        self.calls, self.left = calls, len(calls)
        self.gate = threading.Lock()
        self.gate.acquire()

    @property
    def is_done(self) -> bool:
        """True if all have ended."""
        return self.left == 0

    def release(self) -> None:
        """One call has ended. The lock of the runner is held."""
        self.left -= 1
        if self.left == 0:
            self.gate.release()


class Runner:
    """A core, its lock, and the thread that moves its bytes."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.core = Core(options)
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.process = os.getpid()
        self.selector = selectors.DefaultSelector()
        self.wake_reader, self.wake_writer = socket.socketpair()
        self.wake_reader.setblocking(False)
        self.wake_writer.setblocking(False)
        self.selector.register(self.wake_reader, selectors.EVENT_READ, None)
        self.selects_until = 0.0
        self.is_woken = False
        self.links: Dict[Link, None] = {}
        self.connected: Deque[Tuple[Link, Union[socket.socket, CarillonError]]] = deque()
        self.thread: Optional[threading.Thread] = None
        self.is_stopped = False
        # The connection that a thread of the program reads, what that thread waits for, and how to wake it.
        self.led: Optional[Link] = None
        self.led_for: Union[Call, Group, None] = None
        self.leader = 0
        self.led_until = 0.0
        self.waiters = 0
        self.lead_reader, self.lead_writer = socket.socketpair()
        self.lead_reader.setblocking(False)
        self.lead_writer.setblocking(False)

    # Programs

    def call(self, request: Request[Any], timeout: float, may_retry: bool) -> Any:
        """Makes a call and returns its value; raises its error."""
        call = Call(request, _monotonic(), timeout, may_retry)
        self.begin(call)
        return self.result(call)

    def begin(self, call: Call) -> None:
        """Begins a call; `result` waits for it."""
        call.waiter = gate = _new_lock()
        gate.acquire()
        self._begin([call], call.started_at)

    def _begin(self, calls: List[Call], now: float) -> None:
        self._check_process()
        with self.lock:
            start = self.core.start
            for call in calls:
                start(call, now)
            reports = self._settle(now)
        if reports:
            perform_reports(reports, now)

    def result(self, call: Union[Call, Waiter]) -> Any:
        """Waits for the end of what has begun. An interruption, such as KeyboardInterrupt, cancels it."""
        if call.state != DONE:
            try:
                if not self._wait(call, call.waiter, call.deadline):
                    self.cancel(call)
            except BaseException:
                self.cancel(call)
                raise
        if call.error is not None:
            raise call.error
        return call.value

    def cancel(self, call: Union[Call, Waiter]) -> None:
        """Ends a call that is not waited for any more."""
        self.use(lambda core, now: core.cancel(call, now))

    def wait_for(self, begin: Any, name: str, timeout: float) -> Any:
        """Begins what is no request (`connect`, `ping`) and waits for it."""
        waiter = Waiter(name, _monotonic(), timeout)
        waiter.waiter = threading.Lock()
        waiter.waiter.acquire()
        self.use(lambda core, now: begin(waiter, now))
        return self.result(waiter)

    def call_all(self, calls: List[Call]) -> None:
        """Makes calls together and waits for all of them; each has its value or its error afterwards."""
        group = Group(calls)
        for call in calls:
            call.waiter = group
        if not calls:
            return
        self._begin(calls, _monotonic())
        try:
            if self._wait(group, group.gate, max(call.deadline for call in calls)):
                return
        except BaseException:
            self._cancel_all(calls)
            raise
        self._cancel_all(calls)

    def _cancel_all(self, calls: List[Call]) -> None:
        for call in calls:
            self.cancel(call)

    def _wait(self, waited: Union[Call, Waiter, Group], gate: threading.Lock, deadline: float) -> bool:
        """Waits for the end of a call or a group; false if it does not come long after its deadline."""
        with self.lock:
            leads = not isinstance(waited, Waiter) and self._begin_leading(waited)
            self.waiters += not leads
            if not leads and self.led is None and self.led_until:
                self._take_back()
        if leads:
            assert not isinstance(waited, Waiter)
            self._lead(waited, deadline + GRACE)
            if gate.acquire(blocking=False):
                return True
            with self.lock:
                self.waiters += 1
        try:
            return gate.acquire(timeout=max(0.0, deadline - _monotonic()) + GRACE)
        finally:
            with self.lock:
                self.waiters -= 1

    def use(self, work: Any) -> None:
        """Runs `work(core, now)` under the lock."""
        now = _monotonic()
        self._check_process()
        with self.lock:
            work(self.core, now)
            reports = self._settle(now)
        perform_reports(reports, now)

    def _check_process(self) -> None:
        if self.process != os.getpid():
            raise CarillonError("CLOSED", "a client does not survive a fork: the child process makes its own")

    def close(self, drain: float) -> None:
        """Ends the client, and returns when its connections are closed (CLS)."""
        self.use(lambda core, now: core.close(now, drain))
        with self.changed:
            self.changed.wait_for(lambda: self.core.is_closed and (self.is_stopped or not self.links), drain + GRACE)
        self.stop()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(GRACE)

    def stop(self) -> None:
        """Ends the background thread."""
        with self.lock:
            self.is_stopped = True
            if self.thread is None:
                self._close_files()
            else:
                self._wake()

    # Leading

    def _begin_leading(self, waited: Union[Call, Group]) -> bool:
        """Takes the socket from the background thread, if nothing else needs it. The lock is held."""
        core, link = self.core, self.core.current
        if self.led is not None or self.waiters or link is None or link.transport is None or core.streams or \
                not CAN_LEAD or not self._may_lead(waited, link):
            return False
        self.led, self.led_for, self.leader = link, waited, threading.get_ident()
        if link.transport.watched:
            self._watch(link)
        return True

    def _may_lead(self, waited: Union[Call, Group], link: Link) -> bool:
        """True while what is waited for can come on this connection."""
        if link.has_ended or link is not self.core.current:
            return False
        if isinstance(waited, Group):
            return waited.left > 0
        return waited.state == WRITTEN and waited.link is link

    def _lead(self, waited: Union[Call, Group], end: float) -> None:
        """Reads the socket until the call has ended, or cannot be answered on this connection."""
        link = self.led
        assert link is not None
        transport: Transport = link.transport
        goes_on = True
        try:
            poll = transport.poll(self.lead_reader)
            while goes_on:
                ready = () if transport.has_pending else poll.poll(1000 * max(0.0, min(end - _monotonic(), 60.0)))
                with self.lock:
                    now = _monotonic()
                    for file, _ in ready:
                        if file == self.lead_reader.fileno():
                            self._drain_lead()
                    if not link.has_ended:
                        self._read(link, now)
                    reports = self._settle(now)
                    goes_on = self._may_lead(waited, link) and now < end
                    if not goes_on:
                        self._end_leading(now)
                if reports:
                    perform_reports(reports, now)
        finally:
            if goes_on:  # an interruption, such as KeyboardInterrupt
                with self.lock:
                    self._end_leading(_monotonic())

    def _end_leading(self, now: float) -> None:
        link, self.led, self.led_for = self.led, None, None
        self.led_until = now
        if link is None or link not in self.links:
            return
        if self.waiters or self.core.streams or self.core.draining or link.session.outstanding or self.core.waiting:
            self.led_until = 0.0
            self._watch(link)
            self._wake()
        elif self.selects_until > now + IDLE:
            self._wake()

    def _drain_lead(self) -> None:
        try:
            self.lead_reader.recv(4096)
        except OSError:
            pass

    # Under the lock

    def _settle(self, now: float) -> List[Any]:
        """Writes, wakes what waits, and wakes the background thread if it has something to do. Returns reports."""
        core = self.core
        link = core.current
        if link is not None and link.transport is not None:
            link.transport.flush(core, link, now)
            self._watch(link)
        for each in core.draining:
            if each.session.control and each.transport is not None:
                each.transport.flush(core, each, now)
                self._watch(each)
        if core.finished:
            finished, core.finished = core.finished, []
            for call in finished:
                call.waiter.release()
        if self.led is not None and self.led_for is not None and threading.get_ident() != self.leader and \
                not self._may_lead(self.led_for, self.led):
            try:
                self.lead_writer.send(b"\0")
            except OSError:
                pass
        if core.changed_streams:
            core.changed_streams.clear()
            self.changed.notify_all()
        if core.commands or core.wake_at < self.selects_until:
            self._start_thread()
            self._wake()
        if core.is_closed:
            self.changed.notify_all()
        if not core.reports:
            return []
        reports, core.reports = core.reports, []
        return reports

    def _start_thread(self) -> None:
        if self.thread is None and not self.is_stopped:
            self.thread = threading.Thread(target=self._run, name="carillon", daemon=True)
            self.thread.start()

    def _wake(self) -> None:
        if not self.is_woken and threading.current_thread() is not self.thread:
            self.is_woken = True
            try:
                self.wake_writer.send(b"\0")
            except OSError:
                pass

    def _watch(self, link: Link) -> None:
        """Lets the background thread watch a socket for what it has to do there."""
        transport: Transport = link.transport
        events = 0 if link is self.led or link is self.core.current and self.led_until else selectors.EVENT_READ
        if transport.unsent:
            events |= selectors.EVENT_WRITE
        if events == transport.watched or link not in self.links:
            return
        if not transport.watched:
            self.selector.register(transport.socket, events, link)
        elif events:
            self.selector.modify(transport.socket, events, link)
        else:
            self.selector.unregister(transport.socket)
        transport.watched = events

    # The background thread

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except Exception as error:  # a defect: nothing may wait for ever
            self._abort(error)
        with self.lock:
            self._close_files()
            self.changed.notify_all()

    def _turn(self) -> bool:
        """Waits for sockets and times, and does what is due. Returns false when the thread is to end."""
        with self.lock:
            now = _monotonic()
            self.selects_until = min(self.core.wake_at, self._watch_again(now))
            seconds = max(0.0, self.selects_until - now) if not self.core.commands else 0.0
        ready = self.selector.select(min(seconds, 3600.0))
        with self.lock:
            now = _monotonic()
            self.selects_until = 0.0
            for key, events in ready:
                if key.data is None:
                    self._drain_wakes()
                else:
                    self._move(key.data, events, now)
            while self.connected:
                self._take_connected(*self.connected.popleft(), now=now)
            if now >= self.core.wake_at:
                self.core.tick(now)
            reports = self._settle(now)
            self._perform_commands()
            if self.core.is_closed and not self.links:
                self.is_stopped = True
            goes_on = not self.is_stopped
        if reports:
            perform_reports(reports, now)
        return goes_on

    def _watch_again(self, now: float) -> float:
        """Takes the socket back if nothing leads any more; returns when to look again."""
        if self.led is not None or not self.led_until:
            return FOREVER
        if now < self.led_until + IDLE:
            return self.led_until + IDLE
        self._take_back()
        return FOREVER

    def _take_back(self) -> None:
        """The background thread watches the socket again. The lock is held."""
        self.led_until = 0.0
        if self.core.current is not None and self.core.current.transport is not None:
            self._watch(self.core.current)

    def _drain_wakes(self) -> None:
        self.is_woken = False
        try:
            self.wake_reader.recv(4096)
        except OSError:
            pass

    def _move(self, link: Link, events: int, now: float) -> None:
        transport: Transport = link.transport
        if events & selectors.EVENT_WRITE:
            transport.flush(self.core, link, now)
            self._watch(link)
        if (events & selectors.EVENT_READ or transport.is_tls) and link is not self.led:
            self._read(link, now)

    def _read(self, link: Link, now: float) -> None:
        transport: Transport = link.transport
        while not link.has_ended:
            try:
                data = transport.socket.recv(READ_SIZE)
            except BUSY:
                return
            except OSError as error:
                return self.core.ended(link, lost(f"the connection has ended: {error}", error), now)
            if not data:
                return self.core.ended(link, None, now)
            self.core.received(link, data, now)
            if not transport.is_tls:  # with TLS, bytes can be there that the system does not know of
                return

    def _perform_commands(self) -> None:
        while self.core.commands:
            command, link = self.core.commands.pop(0)
            if command == "connect":
                threading.Thread(target=self._connect, args=(link,), name="carillon-connect", daemon=True).start()
            elif link in self.links:
                del self.links[link]
                if link.transport.watched:
                    self.selector.unregister(link.transport.socket)
                link.transport.flush(self.core, link, _monotonic())
                link.transport.close()
        if self.core.is_closed and not self.links:
            self.changed.notify_all()

    def _take_connected(self, link: Link, result: Union[socket.socket, CarillonError], now: float) -> None:
        if isinstance(result, CarillonError):
            self.core.ended(link, result, now)
        elif link.has_ended or self.is_stopped:
            result.close()
        else:
            result.setblocking(False)
            link.transport = Transport(result)
            self.links[link] = None
            self.led_until = 0.0
            link.transport.flush(self.core, link, now)
            self._watch(link)

    def _abort(self, error: Exception) -> None:
        with self.lock:
            self.is_stopped = True
            core, now = self.core, _monotonic()
            core.is_closing = True
            for link in core.links():
                core.ended(link, lost(f"a defect of the client: {error!r}", error), now)
            core.close(now, 0.0)
            core.closes_at = now
            core.tick(now)
            reports = self._settle(now)
        perform_reports(reports, now)

    def _close_files(self) -> None:
        for link in self.links:
            link.transport.socket.close()
        self.links.clear()
        self.selector.close()
        for each in (self.wake_reader, self.wake_writer, self.lead_reader, self.lead_writer):
            each.close()

    # Connecting, in a thread of its own: resolving blocks

    def _connect(self, link: Link) -> None:
        result: Union[socket.socket, CarillonError]
        try:
            result = open_socket(self.options, link)
        except Exception as error:
            result = connect_error(error)
        self.connected.append((link, result))
        with self.lock:
            if not self.is_stopped:
                self._wake()
            elif isinstance(result, socket.socket):
                result.close()
