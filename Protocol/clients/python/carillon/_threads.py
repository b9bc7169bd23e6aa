"""The shell with threads, as the blocking client uses it: makes calls and waits for their ends."""
from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Any, Callable, List, Union

from ._calls import DONE, Call, Waiter
from ._call_dispatcher import CallDispatcher
from ._results import perform_reports
from ._background_thread import BackgroundThread, CallGroup
from .errors import CarillonError
from .options import Options

_monotonic = time.monotonic
_new_lock = threading.Lock
# How long after the deadline of a call its thread still waits for the end. Only a defect of the background thread lets
# it wait so long.
GRACE_SECONDS = 10.0


class Runner:
    """The dispatcher behind its lock: what a client, its copies and its streams hold. The background thread ends with
    it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.process = os.getpid()
        self._background = BackgroundThread(options)
        self.dispatcher: CallDispatcher = self._background.dispatcher
        self.lock, self.changed = self._background.lock, self._background.changed
        # The background thread does not hold this object: so a client that is forgotten can be collected, and then ends
        # the thread (CONTRACT.md, CLS-4).
        weakref.finalize(self, self._background.abandon).atexit = False

    def call(self, call: Call[Any], timeout: float, is_repeated: bool) -> Any:
        """Makes a call and returns its value; raises its error."""
        call.begin_at(_monotonic(), timeout, is_repeated)
        self.begin(call)
        return self.result(call)

    def begin(self, call: Call[Any]) -> None:
        """Begins a call; `result` waits for it."""
        call.end_signal = gate = _new_lock()
        gate.acquire()
        self._check_process()
        now = call.started_at
        with self.lock:
            self.dispatcher.start(call, now)
            reports = self._background.settle(now)
        if reports:
            perform_reports(reports, now)

    def result(self, call: Union[Call[Any], Waiter]) -> Any:
        """Waits for the end of what has begun. An interruption, such as KeyboardInterrupt, cancels it."""
        if call.state != DONE:
            try:
                if not self._wait(call, call.end_signal, call.deadline):
                    self.cancel(call)
            except BaseException:
                self.cancel(call)
                raise
        if call.error is not None:
            raise call.error
        return call.value

    def cancel(self, *calls: Union[Call[Any], Waiter]) -> None:
        """Ends calls whose callers wait no longer."""
        def work(dispatcher: CallDispatcher, now: float) -> None:
            for call in calls:
                dispatcher.cancel(call, now)
        self.use(work)

    def wait_for(self, begin: Callable[[Waiter, float], None], name: str, timeout: float) -> Any:
        """Begins what is not a request (`connect`, `ping`) and waits for it."""
        waiter = Waiter(name, _monotonic(), timeout)
        waiter.end_signal = gate = _new_lock()
        gate.acquire()
        self.use(lambda dispatcher, now: begin(waiter, now))
        return self.result(waiter)

    def call_all(self, calls: List[Call[Any]], timeout: float, is_repeated: bool) -> None:
        """Makes calls together and waits for all of them; each has its value or its error afterwards."""
        if not calls:
            return
        group, now = CallGroup(calls), _monotonic()
        deadline = now + timeout
        for call in calls:  # as `begin_at`, for many
            call.started_at, call.deadline, call.is_repeated, call.end_signal = now, deadline, is_repeated, group
        self.use(lambda dispatcher, now: dispatcher.start_all(calls, now))
        try:
            if not self._wait(group, group.gate, now + timeout):
                self.cancel(*calls)
        except BaseException:
            self.cancel(*calls)
            raise

    def _wait(self, waited: Union[Call[Any], Waiter, CallGroup], gate: threading.Lock, deadline: float) -> bool:
        """Waits for the end of a call or a group; false if it does not come long after its deadline."""
        leading_thread = self._background.leading_thread
        with self.lock:
            is_leading = leading_thread.begin(waited)
        if is_leading:
            leading_thread.read(deadline + GRACE_SECONDS)
            if gate.acquire(blocking=False):
                return True
            with self.lock:
                leading_thread.followers += 1
        try:
            left = max(0.0, deadline - _monotonic()) + GRACE_SECONDS
            return gate.acquire(timeout=min(left, threading.TIMEOUT_MAX))
        finally:
            with self.lock:
                leading_thread.followers -= 1

    def use(self, work: Callable[[CallDispatcher, float], object]) -> None:
        """Runs `work(dispatcher, now)` under the lock."""
        now = _monotonic()
        self._check_process()
        with self.lock:
            work(self.dispatcher, now)
            reports = self._background.settle(now)
        perform_reports(reports, now)

    def _check_process(self) -> None:
        if self.process != os.getpid():
            raise CarillonError("CLOSED", "a client does not survive a fork: the child process makes its own")

    def close(self, drain: float) -> None:
        """Ends the client, and returns when its connections are closed. It does nothing in a child process."""
        if self.process != os.getpid():
            return
        self.use(lambda dispatcher, now: dispatcher.close(now, drain))
        self._background.wait_until_closed(min(drain + GRACE_SECONDS, threading.TIMEOUT_MAX))
