"""Every bad input against the real server, over real sockets, beside a neighbour connection that must not be disturbed.
"""
from __future__ import annotations

import json
import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Optional

from support.bad_inputs import bad_audiences, bad_events, bad_inputs
from support.bad_inputs.bad_input_kinds import Kind
from support.bad_inputs.bad_inputs import ELSEWHERE
from support.clients.raw_connection import RawConnection
from support.clients.requests import ANSWERED, CLOSED, TIMEOUT, Row, auth, expect_closed, expect_error, hello, lookup
from support.deployment import APP, VECTORS, Deployment, crln

MAXIMUM_GROWN_BYTES = 192 << 20
# Kinds whose rows load the server; the idle connections come after all others.
ALONE = {Kind.IDLE_CONNECTIONS, Kind.RESET_CONNECTIONS, Kind.UNREAD_EVENTS, Kind.TINY_FRAMES, Kind.SIGNAL}
ROWS = bad_inputs.ROWS + bad_audiences.ROWS + bad_events.ROWS


class Neighbour:
    """A well-behaved client: its one connection stays open, and its lookups are answered."""

    def __init__(self, deployment: Deployment) -> None:
        self.client = deployment.client(timeout=60, attempts=1)
        self.token = os.urandom(32)
        self.client.register(APP, self.token)
        # Each connection has an answer to HELLO of its own.
        self.server = self.client.server

    def ask(self) -> float:
        """Makes one lookup and returns its duration in seconds."""
        began = time.monotonic()
        self.client.lookup(APP, self.token)
        if self.client.server is not self.server:
            raise AssertionError("the neighbour's connection was closed")
        return time.monotonic() - began


class Watch:
    """Makes lookups without a pause while another thread works."""

    def __init__(self, neighbour: Neighbour) -> None:
        self.neighbour, self.times = neighbour, []
        self.error: Optional[BaseException] = None
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            while not self.times or not self.ended.wait(0.01):
                self.times.append(self.neighbour.ask())
        except BaseException as error:
            self.error = error

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ended.set()
        self.thread.join(20)


class BadInputsTests(unittest.TestCase):
    """The table of bad inputs, and the invalid vectors of the protocol."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.deployment = Deployment(principals=bad_events.PRINCIPALS)
        cls.addClassCleanup(cls.deployment.stop)
        cls.neighbour = Neighbour(cls.deployment)
        cls.addClassCleanup(cls.neighbour.client.close)
        cls.before = cls.deployment.resident_bytes
        cls.largest = cls.slowest = 0.0

    def assert_unharmed(self) -> None:
        """Asserts that the server lives, its memory is bounded, and the neighbour is served."""
        self.assertTrue(self.deployment.is_alive, self.deployment.log()[-2000:])
        grown = self.deployment.resident_bytes - self.before
        type(self).largest = max(self.largest, grown)
        self.assertLess(grown, MAXIMUM_GROWN_BYTES, "the server has grown")
        type(self).slowest = max(self.slowest, self.neighbour.ask())

    def play(self, row: Row) -> None:
        """Runs one row from connecting to the verdict."""
        if not row.phase:
            return row.play(self.deployment, None)
        with self.deployment.raw(row.phase) as raw:
            if isinstance(row.play, bytes):
                raw.send(row.play)
            else:
                row.play(self.deployment, raw)
            try:
                self.judge(row, raw)
            finally:
                if raw.slow_sender:
                    raw.slow_sender.set()

    def judge(self, row: Row, raw: RawConnection) -> None:
        """Asserts that the answer is what the row expects."""
        if row.expected == CLOSED:
            expect_closed(raw, row.timeout)
        elif row.expected == ANSWERED:
            self.assert_answered(row, raw)
        elif row.expected is not None:
            expect_error(raw, row.expected, row.timeout)
            if row.expected.scope == "request":
                self.assert_goes_on(row, raw)

    def assert_answered(self, row: Row, raw: RawConnection) -> None:
        """Asserts that no request is refused."""
        if row.kind == Kind.PING:
            return self.assert_goes_on(row, raw)
        frame = raw.read_frame(row.timeout)
        self.assertIsNotNone(frame, "closed instead of an answer")
        self.assertEqual(frame.kind, crln.ANSWER, frame)

    def assert_goes_on(self, row: Row, raw: RawConnection) -> None:
        """Asserts that the connection still works, as after an error with scope "request"."""
        raw.send({"hello": hello(9), "auth": auth(self.deployment.api_key.encode(), 9),
                  "open": lookup(9, self.neighbour.token)}[row.phase])
        frame = raw.read_frame()
        self.assertIsNotNone(frame, "the connection does not go on")
        self.assertEqual((frame.kind, frame.id), (crln.ANSWER, 9), frame)

    def test_each_bad_input_gets_the_answer_of_its_row(self) -> None:
        """Runs each row; the slow ones at the same time, the heavy ones alone."""
        slow = [row for row in ROWS if is_slow(row)]
        with ThreadPoolExecutor(len(slow)) as pool:
            verdicts = [(row, pool.submit(self.play, row)) for row in slow]
            for row in ROWS:
                if row.kind not in ALONE and not is_slow(row):
                    self.run_as_subtest(row, lambda row=row: self.play(row))
            for row in ROWS:
                if row.kind in ALONE and row.kind != Kind.IDLE_CONNECTIONS:
                    self.run_beside_lookups(row)
            for row, verdict in verdicts:
                self.run_as_subtest(row, verdict.result)
        for row in ROWS:
            if row.kind == Kind.IDLE_CONNECTIONS:
                self.run_beside_lookups(row)
        covered = {row.kind for row in ROWS}
        names = [kind.name for kind in (*covered, *ELSEWHERE)]
        self.assertEqual(sorted(names), sorted(kind.name for kind in Kind), "each kind stands in one place")
        print(f"\nbad inputs: {len(ROWS)} rows of {len(covered)} kinds, {len(ELSEWHERE)} kinds in other files; "
              f"neighbour at most {self.slowest * 1000:.0f} ms, "
              f"server grew by at most {self.largest / 1048576:.0f} MiB")

    def run_as_subtest(self, row: Row, play: Any) -> None:
        """Runs a row as a subtest."""
        with self.subTest(str(row)):
            play()
            self.assert_unharmed()

    def run_beside_lookups(self, row: Row) -> None:
        """Runs a row while the neighbour makes lookups without a pause."""
        with self.subTest(str(row)):
            with Watch(self.neighbour) as watch:
                self.play(row)
            if watch.error:
                raise watch.error
            times = sorted(watch.times)
            print(f"\n{row}: {len(times)} lookups of the neighbour, p99 {times[len(times) * 99 // 100] * 1000:.0f} ms, "
                  f"at most {times[-1] * 1000:.0f} ms")
            self.assert_unharmed()

    def test_each_invalid_vector_gets_its_error(self) -> None:
        """Each invalid vector, on a connection of its own, gets exactly its error."""
        files = sorted((VECTORS / "invalid").glob("*.json"))
        cases = [(file.stem, case) for file in files for case in json.loads(file.read_text())]
        self.assertGreater(len(cases), 100, "the vectors are missing")
        for stem, case in cases:
            with self.subTest(f"{stem}: {case['name']}"):
                self.play_vector(case)
        self.assert_unharmed()

    def play_vector(self, case: Dict[str, Any]) -> None:
        """Sends the bytes of an invalid vector, and asserts that it gets its error."""
        with self.deployment.raw(case["phase"]) as raw:
            raw.send(bytes.fromhex(case["hex"]))
            if case["expect"] == "close":
                return expect_closed(raw)
            frame = raw.read_frame()
            self.assertIsNotNone(frame, "closed without a word")
            self.assertEqual(frame.message, "error", frame)
            fields = frame.fields
            found = {"code": crln.ERRORS[fields["code"]], "scope": crln.SCOPES[fields["scope"]],
                     **{name: fields[name] for name in ("field", "item", "column", "limit") if name in fields}}
            self.assertEqual(found, case["expect"])
            self.assertEqual(fields["effect"], 0)
            if found["scope"] == "connection":
                self.assertIsNone(raw.read_frame(), "not closed after the error")


def is_slow(row: Row) -> bool:
    """True if a timeout of the server decides the row."""
    return row.expected == TIMEOUT or row.kind in (Kind.PREFACE_IN_PIECES, Kind.SILENCE, Kind.NEVER_READING)


if __name__ == "__main__":
    unittest.main()
