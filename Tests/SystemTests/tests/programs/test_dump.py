"""carillon-dump and a live server with messages in flight: backup, verify, restore, export and import."""
from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import List

from support.deployment import APP, LONGEST_APP, OTHER_APP, PROGRAMS, Deployment, eventually, sha256
from support.programs.dump_command import content, dump, rows
from support.system_test_case import PAYLOAD, SystemTestCase, register, wait_finished

# The files of a data directory that the program opens.
FILES_OF_DATA = ("lock.mdb", "writer.lock", "data.wal", "data.mdb")


class DumpTests(SystemTestCase):
    def fill(self, deployment: Deployment) -> None:
        """Devices of two apps, groups, topics, mute, quarantine, tombstones."""
        with deployment.client() as client:
            deployment.simulator.add_rules(prefix="dd", status=410, reason="Unregistered",
                                           timestamp=int(time.time() * 1000) + 1_000)
            register(client, 3_000)
            dead = register(client, 10, b"\xdd")
            client.join(APP, "user/1", [1, 2, 3])
            client.subscribe(APP, ["level5", "guild/7"], devices=list(range(1, 500)), groups=["user/1", "user/none"])
            client.update_group(APP, "user/1", muted=True)
            client.update_device(APP, 7, locale="zh-Hant-TW", attributes={"platform": "ios"}, muted=True)
            client.unregister(APP, 10)
            client.register(OTHER_APP, b"\x01" * 32, groups=["user/1"])
            message = client.send(APP, dead, PAYLOAD)["message_id"]
            self.assertEqual(wait_finished(client, message), {"token-unregistered": 10})

    def in_flight(self, deployment: Deployment) -> int:
        """Sends a message of which some pushes have outcomes and the others are not answered."""
        deployment.simulator.add_rules(fault="delay", milliseconds=60_000, probability=0.5)
        with deployment.client() as client:
            message = client.send_to(APP, PAYLOAD, all_devices=True, lane="bulk")["message_id"]

            def begun() -> bool:
                found = client.message_status(APP, message)
                return found["state"] == "sending" and found["outcomes"].get("delivered", 0) > 100

            eventually(begun, "some are delivered")
        return message

    def test_a_message_in_flight_is_in_a_backup_and_a_server_on_the_restored_data_finishes_it(self) -> None:
        deployment = self.deployment()
        folder = deployment.folder
        self.fill(deployment)
        message = self.in_flight(deployment)

        dump("backup", folder / "backup", "--data", folder / "data")
        dump("verify", "--data", folder / "data")
        self.assertIn("sound  3,010 devices", dump("verify", "--data", folder / "backup").stdout)
        states = {each["message_id"]: each["state"] for each in rows(dump(
            "messages", "--data", folder / "backup", "--app", APP).stdout)}
        self.assertEqual(states, {1: "finished", message: "sending"})

        dump("restore", folder / "backup", folder / "restored")
        dump("verify", "--data", folder / "restored")
        deployment.kill()
        # A new simulator does not hold its answers back.
        deployment.stop_simulator()
        deployment.start_simulator()
        deployment.start("--data-path", str(folder / "restored"))
        with deployment.client() as client:
            outcomes = wait_finished(client, message)
        self.assertEqual(sum(outcomes.values()), 2_999)
        self.assertEqual(outcomes["muted"], 4)
        dump("verify", "--data", folder / "restored")

    def test_data_a_backup_what_is_restored_and_what_is_imported_have_the_same_export(self) -> None:
        deployment = self.deployment()
        folder = deployment.folder
        self.fill(deployment)
        self.in_flight(deployment)

        dump("backup", folder / "backup", "--data", folder / "data")
        dump("restore", folder / "backup", folder / "restored")
        for name in ("data", "backup", "restored"):
            dump("export", folder / f"{name}.jsonl", "--app", APP, "--data", folder / name)
        exported = content(folder / "data.jsonl")
        self.assertEqual(json.loads(exported[-1])["devices"], 3_009)
        self.assertEqual(content(folder / "backup.jsonl"), exported)
        self.assertEqual(content(folder / "restored.jsonl"), exported)

        dump("import", folder / "data.jsonl", "--data", folder / "imported")
        dump("export", folder / "imported.jsonl", "--app", APP, "--data", folder / "imported")
        self.assertEqual(content(folder / "imported.jsonl"), exported)

    def test_a_second_app_is_imported_into_the_same_database(self) -> None:
        deployment = self.deployment()
        folder = deployment.folder
        self.fill(deployment)

        dump("export", folder / "data.jsonl", "--app", APP, "--data", folder / "data")
        dump("import", folder / "data.jsonl", "--data", folder / "imported")
        dump("export", folder / "other.jsonl", "--app", OTHER_APP, "--data", folder / "data")
        dump("import", folder / "other.jsonl", "--data", folder / "imported")
        apps = [app["app"] for app in json.loads(dump("stats", "--data", folder / "imported", "--json").stdout)["apps"]]
        self.assertEqual(apps, [APP, OTHER_APP])

    def test_a_restore_and_an_import_leave_a_database_and_no_other_files(self) -> None:
        deployment = self.deployment()
        folder = deployment.folder
        self.fill(deployment)

        dump("backup", folder / "backup", "--data", folder / "data")
        dump("restore", folder / "backup", folder / "restored")
        dump("export", folder / "data.jsonl", "--app", APP, "--data", folder / "data")
        dump("import", folder / "data.jsonl", "--data", folder / "imported")
        for path in (folder / "imported", folder / "restored"):
            # LMDB makes its lock file when a program opens the database.
            names = {each.name for each in path.iterdir()} - {"lock.mdb"}
            self.assertEqual(names, {"data.mdb", "writer.lock"})
        self.assertEqual([each for each in folder.iterdir() if each.name.startswith(".carillon-dump")], [])

    def with_backup_and_export(self) -> Path:
        """A server with ten devices, its backup, and the export of its app in app.jsonl; returns their folder."""
        deployment = self.deployment()
        folder = deployment.folder
        with deployment.client() as client:
            register(client, 10)
        dump("backup", folder / "backup", "--data", folder / "data")
        dump("export", folder / "app.jsonl", "--app", APP, "--data", folder / "data")
        return folder

    def test_no_command_overwrites_data(self) -> None:
        folder = self.with_backup_and_export()
        before = (folder / "backup" / "data.mdb").read_bytes()
        for words, arguments in (
                ("a server uses", ("restore", folder / "backup", folder / "data")),
                ("is not empty", ("restore", folder / "backup", folder / "backup")),
                ("is not empty", ("backup", folder / "backup", "--data", folder / "data")),
                ("a server uses", ("import", folder / "app.jsonl", "--data", folder / "data")),
                ("exists already", ("export", folder / "app.jsonl", "--app", APP, "--data", folder / "data"))):
            with self.subTest(arguments=arguments):
                self.assertIn(words, dump(*arguments, status=2).stderr)
        self.assertEqual((folder / "backup" / "data.mdb").read_bytes(), before)

    def test_data_that_does_not_exist_is_not_read(self) -> None:
        folder = self.with_backup_and_export()
        for words, arguments in (("does not exist", ("stats", "--data", folder / "nowhere")),
                                 ("has no database", ("verify", "--data", folder))):
            with self.subTest(words):
                self.assertIn(words, dump(*arguments, status=2).stderr)

    def test_an_app_that_does_not_exist_is_not_exported(self) -> None:
        folder = self.with_backup_and_export()
        self.assertIn("no app", dump("export", "-", "--app", OTHER_APP, "--data", folder / "data", status=1).stderr)

    def test_a_folder_that_does_not_exist_gets_no_backup(self) -> None:
        folder = self.with_backup_and_export()
        self.assertIn(f"{folder}/none does not exist; make it first",
                      dump("backup", folder / "none" / "monday", "--data", folder / "data", status=2).stderr)

    def test_only_the_owner_can_read_an_export(self) -> None:
        folder = self.with_backup_and_export()
        self.assertEqual((folder / "app.jsonl").stat().st_mode & 0o777, 0o600)

    def test_an_app_is_not_imported_twice(self) -> None:
        folder = self.with_backup_and_export()
        before = (folder / "backup" / "data.mdb").read_bytes()
        # Only the first line of this file is read: the others need not be right.
        (folder / "head.jsonl").write_text((folder / "app.jsonl").read_text().splitlines()[0] + "\nbroken\n")
        for arguments in ((folder / "app.jsonl", "--data", folder / "backup"),
                          (folder / "head.jsonl", "--data", folder / "backup"),
                          (folder / "app.jsonl", folder / "app.jsonl", "--data", folder / "new")):
            with self.subTest(arguments=arguments):
                self.assertIn("has the app com.example.game already", dump("import", *arguments, status=1).stderr)
        self.assertEqual((folder / "backup" / "data.mdb").read_bytes(), before)

    def test_an_export_with_another_checksum_is_not_imported(self) -> None:
        folder = self.with_backup_and_export()
        broken = folder / "broken.jsonl"
        broken.write_text((folder / "app.jsonl").read_text().replace('"kind":"device"', '"kind":"voip"', 1))
        self.assertIn("checksum", dump("import", broken, "--data", folder / "new", status=1).stderr)
        self.assertFalse((folder / "new").exists())

    def test_a_server_tells_the_same_as_its_directory(self) -> None:
        deployment = self.deployment(principals=[])
        self.fill(deployment)
        server = {"CARILLON_SERVER": f"127.0.0.1:{deployment.port}", "CARILLON_API_KEY": deployment.api_key}
        data = ("--data", deployment.folder / "data")
        for arguments in (("devices",), ("devices", "--state", "quarantined", "--csv"), ("devices", "--locale", "zh"),
                          ("devices", "--group", "user/1", "--full-tokens"), ("devices", "--topic", "level5"),
                          ("groups",), ("topics", "--min-devices", "300", "--csv"), ("messages",), ("quarantine",),
                          ("messages", "--state", "finished", "--limit", "1"),
                          ("show", "group", "user/1", "--json")):
            with self.subTest(arguments=arguments):
                here = dump(*arguments, *data, "--app", APP).stdout
                self.assertEqual(dump(*arguments, "--app", APP, **server).stdout, here)
                self.assertGreater(len(here), 20)
        self.assertEqual(len(rows(dump("devices", "--app", APP, **server).stdout)), 3_009)
        self.assertNotRegex(dump("devices", "--app", APP, **server).stdout, r"\b[0-9a-f]{9,}…?\"")
        for name, arguments in (("device", ("--device", 1)), ("message", (1,)), ("topic", ("level5",))):
            here = json.loads(dump("show", name, *arguments, *data, "--app", APP, "--json").stdout)
            there = json.loads(dump("show", name, *arguments, "--app", APP, "--json", **server).stdout)
            self.assertEqual({key: here[key] for key in there}, there)
        statistics = json.loads(dump("stats", "--app", APP, "--json", **server).stdout)
        here = json.loads(dump("stats", "--app", APP, "--json", *data).stdout)
        self.assertEqual(statistics["apps"], here["apps"])
        self.assertIn("the app is missing: --app", dump("devices", status=2, **server, HOME="/nonexistent").stderr)
        self.assertEqual(dump("groups", **server, CARILLON_APP=APP).stdout, dump("groups", *data, "--app", APP).stdout)
        self.assertIn("no such device", dump("show", "device", "--app", APP, "--device", 9_999, status=1,
                                             **server).stderr)

    def test_devices_and_statistics_of_a_server_need_the_role_admin(self) -> None:
        key = "crln_" + "ab" * 32
        deployment = self.deployment(principals=[{"name": "watcher", "keySHA256": [sha256(key)],
                                                  "grants": [{"app": APP, "roles": ["observe", "register", "send"]}]}])
        server = {"CARILLON_SERVER": f"127.0.0.1:{deployment.port}", "CARILLON_API_KEY": key}
        self.assertIn("FORBIDDEN", dump("devices", "--app", APP, status=1, **server).stderr)
        self.assertIn("FORBIDDEN", dump("stats", status=1, **server).stderr)
        self.assertEqual(dump("groups", "--app", APP, **server).stdout, "")

    def test_an_interrupted_export_leaves_nothing(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            register(client, 5_000)
        process = subprocess.Popen(
            [str(PROGRAMS / "carillon-dump"), "export", "-", "--app", APP, "--data", str(deployment.folder / "data")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdout.read(100)
        process.send_signal(signal.SIGTERM)
        _, complaint = process.communicate(timeout=20)
        self.assertEqual((process.returncode, complaint), (5, b"carillon-dump: interrupted\n"))
        self.assertEqual([each for each in deployment.folder.iterdir() if each.name.startswith(".carillon-dump")], [])
        self.assertTrue(deployment.is_alive)

    def test_copies_can_be_read_by_their_owner_only(self) -> None:
        deployment = self.deployment(simulator=None)
        folder = deployment.folder
        with deployment.client() as client:
            register(client, 10)
        before = os.umask(0)
        try:
            dump("backup", folder / "backup", "--data", folder / "data")
            dump("restore", folder / "backup", folder / "restored")
            dump("export", folder / "game.jsonl", "--app", APP, "--data", folder / "restored")
            dump("import", folder / "game.jsonl", "--data", folder / "imported")
        finally:
            os.umask(before)
        for name in ("backup", "restored", "imported"):
            modes = {each.name: oct(each.stat().st_mode & 0o777) for each in (folder / name).iterdir()}
            self.assertEqual(set(modes.values()), {"0o600"}, modes)
            self.assertEqual((folder / name).stat().st_mode & 0o777, 0o700)

    def test_an_import_after_a_kill_loses_no_answered_change(self) -> None:
        deployment = self.deployment(simulator=None)
        folder, data = deployment.folder, deployment.folder / "data"
        with deployment.client() as client:
            client.register(OTHER_APP, b"\x01" * 32)
        dump("export", folder / "other.jsonl", "--app", OTHER_APP, "--data", data)
        with deployment.client() as client:
            client.unregister(OTHER_APP, 1)
            # After a second without other work they are answered from the write-ahead log.
            tokens: List[bytes] = []
            while not (data / "data.wal").exists():
                self.assertLess(len(tokens), 1_000_000, "nothing is in the write-ahead log")
                tokens += register(client, 10_000)
            tokens += register(client, 10_000)
            deployment.kill()
        other = json.loads((folder / "other.jsonl").read_text().splitlines()[0])
        self.assertIn("has the app", dump("import", folder / "other.jsonl", "--data", data, status=1).stderr)
        # The same export, of an app that the directory does not have.
        text = (folder / "other.jsonl").read_text().replace(other["app"], LONGEST_APP)
        (folder / "third.jsonl").write_text(text)
        dump("import", folder / "third.jsonl", "--data", data)
        stored = {row["device_id"]: row["token"] for row in rows(dump(
            "devices", "--data", data, "--app", APP, "--full-tokens").stdout)}
        self.assertEqual(stored, {number: token.hex() for number, token in enumerate(tokens, 1)})
        self.assertIn("sound", dump("verify", "--data", data).stdout)

    def test_the_end_of_a_pipe_ends_a_listing_as_it_ends_other_programs(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 1_000)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PROGRAMS / "carillon-dump", "devices", "--data", deployment.folder / "data"],
                              stdout=writer, stderr=subprocess.PIPE, timeout=60)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))

    @unittest.skipUnless(os.geteuid() == 0, "only root can write into files of others")
    def test_root_writes_through_no_link_of_the_owner(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 10)
        folder, data = deployment.folder, deployment.folder / "data"
        folder.chmod(0o755)
        dump("export", folder / "game.jsonl", "--app", APP, "--data", data)
        dump("backup", folder / "backup", "--data", data)
        deployment.kill()
        chosen = folder / "chosen"
        commands = (("stats", "--data", data), ("verify", "--data", data), ("devices", "--data", data),
                    ("export", folder / "again.jsonl", "--app", APP, "--data", data),
                    ("backup", folder / "again", "--data", data),
                    ("import", folder / "game.jsonl", "--data", data), ("restore", folder / "backup", data))
        for name in FILES_OF_DATA:
            for command in commands:
                with self.subTest(name=name, command=command[0]):
                    chosen.write_bytes(b"root:secret\n")
                    os.chown(chosen, 0, 0)
                    chosen.chmod(0o600)
                    (data / name).unlink(missing_ok=True)
                    (data / name).symlink_to(chosen)
                    for path in (data, *data.iterdir()):
                        os.chown(path, 65_534, 65_534, follow_symlinks=False)
                    subprocess.run([PROGRAMS / "carillon-dump", *map(str, command)], capture_output=True, timeout=60)
                    status = chosen.stat()
                    self.assertEqual((chosen.read_bytes(), status.st_uid, status.st_gid, status.st_mode & 0o777),
                                     (b"root:secret\n", 0, 0, 0o600))
            (data / name).unlink(missing_ok=True)

    @unittest.skipUnless(os.geteuid() == 0, "only root can write into files of others")
    def test_root_makes_no_file_through_a_link_of_the_owner(self) -> None:
        deployment = self.deployment(simulator=None)
        folder, data = deployment.folder, deployment.folder / "data"
        folder.chmod(0o755)
        deployment.kill()
        missing = folder / "missing"
        for name in FILES_OF_DATA:
            with self.subTest(name):
                (data / name).unlink(missing_ok=True)
                (data / name).symlink_to(missing)
                for path in (data, *data.iterdir()):
                    os.chown(path, 65_534, 65_534, follow_symlinks=False)
                subprocess.run([PROGRAMS / "carillon-dump", "stats", "--data", str(data)], capture_output=True,
                               timeout=60)
                self.assertFalse(missing.exists())
                (data / name).unlink(missing_ok=True)

    @unittest.skipUnless(os.geteuid() == 0, "only root takes the rights of others")
    def test_root_works_with_the_rights_of_the_owner_and_reads_its_own_files(self) -> None:
        deployment = self.deployment(simulator=None)
        with deployment.client() as client:
            register(client, 10)
        folder, data = deployment.folder, deployment.folder / "data"
        folder.chmod(0o755)
        deployment.kill()
        for path in (data, *data.iterdir()):
            os.chown(path, 65_534, 65_534)
        (data / "lock.mdb").unlink()
        private = folder / "private"
        private.mkdir(0o700)
        self.assertIn("10", dump("stats", "--data", data).stdout)
        dump("export", private / "game.jsonl", "--app", APP, "--data", data)
        dump("backup", private / "backup", "--data", data)
        self.assertEqual({each.stat().st_uid for each in data.iterdir()}, {65_534})
        self.assertEqual({each.stat().st_uid for each in (private / "backup").iterdir()}, {0})
        imported = folder / "imported"
        imported.mkdir()
        os.chown(imported, 65_534, 65_534)
        dump("import", private / "game.jsonl", "--data", imported)
        self.assertEqual({each.stat().st_uid for each in imported.iterdir()}, {65_534})
        # A file that only root can read is not read for the owner.
        os.chown(data / "data.mdb", 0, 0)
        self.assertIn("data.mdb cannot be read: Permission denied", dump("stats", "--data", data, status=2).stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_data_that_root_restores_belongs_to_the_owner_of_its_directory(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            register(client, 10)
        # The owner must be able to reach the directory.
        deployment.folder.chmod(0o755)
        backup, restored = deployment.folder / "backup", deployment.folder / "restored"
        dump("backup", backup, "--data", deployment.folder / "data")
        restored.mkdir()
        os.chown(restored, 65_534, 65_534)
        dump("restore", backup, restored)
        self.assertEqual({each.name: each.stat().st_uid for each in restored.iterdir()},
                         {"data.mdb": 65_534, "writer.lock": 65_534})

    def test_an_interrupted_export_to_a_file_leaves_no_tokens(self) -> None:
        deployment = self.deployment()
        with deployment.client() as client:
            register(client, 20_000)
        file = deployment.folder / "game.jsonl"
        command = [str(PROGRAMS / "carillon-dump"), "export", str(file), "--app", APP, "--data",
                   str(deployment.folder / "data")]

        def is_interrupted(number: signal.Signals) -> bool:
            """False if the export was over before the signal came."""
            process = subprocess.Popen(command, stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            eventually(lambda: process.poll() is not None or any(
                each.stat().st_size for each in deployment.folder.glob("game.jsonl.unfinished*") if each.exists()),
                       "the export has begun")
            process.send_signal(number)
            process.communicate(timeout=60)
            if process.returncode == 0:
                file.unlink()
                return False
            self.assertEqual(process.returncode, 5)
            self.assertEqual(list(deployment.folder.glob("game.jsonl*")), [])
            return True

        for number in (signal.SIGINT, signal.SIGTERM):
            eventually(lambda number=number: is_interrupted(number), "an export is interrupted")


if __name__ == "__main__":
    unittest.main()
