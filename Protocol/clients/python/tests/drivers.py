"""Both clients behind one blocking interface, so that one runner plays the behaviour vectors with each of them."""
from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, Dict, Optional, Type

import carillon
from carillon._calls import Call, Waiter
from carillon.options import Options


class Driver:
    """A client. What begins is in the client's hands when a method returns; `result` waits for it."""

    def __init__(self, values: Dict[str, Any]) -> None:
        raise NotImplementedError

    client: Any

    def run(self, work: Any) -> Any:
        """Runs a function where the client lives, and waits for what it returns if that can be awaited."""
        raise NotImplementedError

    def runner(self) -> Any:
        return self.client._runner

    def begin(self, call: Call[Any], timeout: Optional[float], is_repeated: bool) -> Call[Any]:
        raise NotImplementedError

    def result(self, begun: Any) -> Any:
        return self.run(lambda: self.runner().result(begun))

    def cancel(self, begun: Any) -> None:
        self.run(lambda: self.runner().cancel(begun))

    def begin_waiter(self, name: str) -> Any:
        """Begins `connect` or `ping`."""
        raise NotImplementedError

    def begin_close(self, drain: float) -> None:
        self.run(lambda: self.runner().use(lambda dispatcher, now: dispatcher.close(now, drain)))

    def stop(self) -> None:
        """Ends the client in any state."""
        self.run(lambda: self.client.close(0))


class BlockingDriver(Driver):
    """The blocking client."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self.client = carillon.Client(**values)

    def run(self, work: Any) -> Any:
        return work()

    def begin(self, call: Call[Any], timeout: Optional[float], is_repeated: bool) -> Call[Any]:
        limit = self.client._timeout if timeout is None else timeout
        call.begin_at(time.monotonic(), limit, is_repeated)
        self.client._runner.begin(call)
        return call

    def begin_waiter(self, name: str) -> Any:
        waiter = Waiter(name, time.monotonic(), self.client._timeout)
        waiter.end_signal = gate = threading.Lock()
        gate.acquire()
        runner = self.client._runner
        runner.use(lambda dispatcher, now: getattr(dispatcher, name)(waiter, now))
        return waiter


class LoopDriver(Driver):
    """The client for asyncio, on a loop in a thread of its own."""

    def __init__(self, values: Dict[str, Any]) -> None:
        Options(**values)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.client = carillon.aio.Client(**values)

    def run(self, work: Any) -> Any:
        async def perform() -> Any:
            made = work()
            return await made if hasattr(made, "__await__") else made
        return asyncio.run_coroutine_threadsafe(perform(), self.loop).result(30)

    def begin(self, call: Call[Any], timeout: Optional[float], is_repeated: bool) -> Call[Any]:
        def work() -> Call[Any]:
            limit = self.client._timeout if timeout is None else timeout
            call.begin_at(self.runner().time(), limit, is_repeated)
            self.runner().begin(call)
            return call
        begun: Call[Any] = self.run(work)
        return begun

    def cancel(self, begun: Any) -> None:
        self.run(lambda: self.runner().cancel(begun))

    def begin_waiter(self, name: str) -> Any:
        def work() -> Waiter:
            runner = self.runner()
            waiter = Waiter(name, runner.time(), self.client._timeout)
            waiter.end_signal = self.loop.create_future()
            runner.use(lambda dispatcher, now: getattr(dispatcher, name)(waiter, now))
            return waiter
        return self.run(work)

    def stop(self) -> None:
        super().stop()

        async def cancel_rest() -> None:
            rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
        self.run(cancel_rest)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


DRIVERS: Dict[str, Type[Driver]] = {"blocking": BlockingDriver, "asyncio": LoopDriver}
