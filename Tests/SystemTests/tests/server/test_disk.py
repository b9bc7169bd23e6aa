"""The files of the data directory: in which order they are written, and what a failing disk leads to."""
from __future__ import annotations

import contextlib
import errno
import os
import unittest
from typing import List

from support.deployment import APP, Deployment, crln, eventually
from support.environment import TIMEOUT_SECONDS
from support.programs.dump_command import dump, rows
from support.system_test_case import SystemTestCase


class DiskTests(SystemTestCase):
    def register(self, client: crln.Client) -> List[bytes]:
        """Registers 500 devices together, and returns their tokens."""
        tokens = [os.urandom(32) for _ in range(500)]
        answers = client.register_batch([{"app": APP, "token": token} for token in tokens])
        self.assertFalse(any("error" in answer for answer in answers))
        return tokens

    def register_until_logged(self, deployment: Deployment) -> List[bytes]:
        """Registers devices until the write-ahead log is written; returns their tokens."""
        tokens: List[bytes] = []
        deployment.disk_calls()
        with deployment.client(attempts=1) as client:

            def is_logged() -> bool:
                tokens.extend(self.register(client))
                return "fdatasync data.wal" in deployment.disk_calls()

            eventually(is_logged, "the write-ahead log is written")
        return tokens

    def stored(self, deployment: Deployment) -> List[str]:
        """Returns the tokens of the stored devices."""
        return [row["token"] for row in rows(dump(
            "devices", "--data", deployment.folder / "data", "--app", APP, "--full-tokens").stdout)]

    def test_files_get_their_names_when_they_are_on_the_disk(self) -> None:
        """After a power cut there is a whole file or none."""
        deployment = self.deployment(simulator=None, records_disk=True)
        calls = deployment.disk_calls()
        self.assertEqual(calls[0], "write data.mdb.new")
        begin = calls.index("fsync data.mdb.new")
        self.assertEqual(calls[begin:begin + 3], ["fsync data.mdb.new", "rename data.mdb", "fsync data"])
        self.assertNotIn("write data.mdb", calls[:begin + 3])
        begin = calls.index("write data.wal.new")
        self.assertEqual(calls[begin:begin + 4],
                         ["write data.wal.new", "fdatasync data.wal.new", "rename data.wal", "fsync data"])

    def test_a_new_file_is_on_the_disk_before_it_is_written(self) -> None:
        """The system's cache may have other pages than the disk, after a write that failed."""
        deployment = self.deployment(simulator=None, records_disk=True)
        deployment.kill()
        deployment.disk_calls()
        deployment.start()
        self.assertEqual(deployment.disk_calls()[0], "fsync data.mdb")

    def test_a_failed_checkpoint_stops_the_server(self) -> None:
        """A checkpoint comes after the answers, when no change has come for a while."""
        deployment = self.deployment(simulator=None, records_disk=True)
        tokens = self.register_until_logged(deployment)
        deployment.fail_disk("fdatasync data.mdb", errno.EIO)
        with deployment.client(attempts=1) as client:
            # On a busy machine the checkpoint is due before these are answered.
            with contextlib.suppress(crln.CarillonError):
                tokens += self.register(client)
        self.assertEqual(deployment.server.wait(TIMEOUT_SECONDS), 1)
        self.assertRegex(deployment.log(), "critical .*Input/output error.* the registry has failed; the server stops")
        self.assertLessEqual({token.hex() for token in tokens}, set(self.stored(deployment)))

    def test_a_failed_commit_of_the_recovery_is_told_and_loses_nothing(self) -> None:
        deployment = self.deployment(simulator=None, records_disk=True)
        tokens = self.register_until_logged(deployment)
        deployment.kill()
        deployment.fail_disk("write data.mdb", errno.ENOSPC)
        deployment.start(wait=False)
        status = deployment.server.wait(TIMEOUT_SECONDS)
        self.assertEqual(status, 1)
        self.assertIn("No space left on device", deployment.log())
        deployment.start()
        self.assertLessEqual({token.hex() for token in tokens}, set(self.stored(deployment)))

    def test_a_log_that_is_removed_while_the_server_runs_costs_nothing(self) -> None:
        deployment = self.deployment(simulator=None, records_disk=True)
        tokens = self.register_until_logged(deployment)
        (deployment.folder / "data" / "data.wal").unlink()
        tokens += self.register_until_logged(deployment)
        eventually(lambda: "the write-ahead log was not in its place" in deployment.log(), "the log says so")
        deployment.kill()
        self.assertLessEqual({token.hex() for token in tokens}, set(self.stored(deployment)))


if __name__ == "__main__":
    unittest.main()
