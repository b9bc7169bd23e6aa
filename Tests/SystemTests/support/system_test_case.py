"""The base class of the system tests, and steps that many of them use."""
from __future__ import annotations

import os
import time
import unittest
from typing import Any, Dict, List

from support.deployment import Deployment
from support.environment import APP, crln, eventually

PAYLOAD = {"aps": {"alert": "hello"}}


def now() -> int:
    """Returns the present time in milliseconds."""
    return int(time.time() * 1000)


def register(client: crln.Client, count: int, prefix: bytes = b"\x01") -> List[bytes]:
    """Registers new devices and returns their tokens. Tests make rules of the simulator for other prefixes than 01."""
    tokens = [prefix + os.urandom(32 - len(prefix)) for _ in range(count)]
    for start in range(0, count, 1000):
        items = [{"app": APP, "token": token, "seen_at": now()} for token in tokens[start:start + 1000]]
        results = client.register_batch(items)
        if any("error" in result for result in results):
            raise AssertionError(f"not registered: {results}")
    return tokens


def wait_finished(client: crln.Client, message: int, timeout: float = 60) -> Dict[str, int]:
    """Waits until a message is finished and returns its outcomes; their sum must be the total at all times."""

    def outcomes() -> Any:
        status = client.message_status(APP, message)
        if sum(status["outcomes"].values()) != status["total"]:
            raise AssertionError(f"the sum is not the total: {status}")
        return status["outcomes"] if status["state"] == "finished" else None

    return eventually(outcomes, f"message {message} is finished", timeout)


class SystemTestCase(unittest.TestCase):
    """A test with a deployment of its own."""

    def deployment(self, **options: Any) -> Deployment:
        """Starts a deployment that ends with the test."""
        deployment = Deployment(**options)
        self.addCleanup(deployment.stop)
        return deployment
