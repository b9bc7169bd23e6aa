"""The public face of both clients: arguments, options, the environment, printed forms, threads, tasks."""
from __future__ import annotations

import asyncio
import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import uuid
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, List, Optional, Tuple, Union
from unittest import mock

import carillon
from carillon import CarillonError, Client, Notification, Options, aio
from carillon.operations import AppOperations, Operations

from .loopback_server import LoopbackServer
from .support import APP, CLIENT

SECRET = "crln_5ec2e7"
TOKEN = "deadbeef" * 8


def fault(work: Callable[[], Any]) -> Optional[str]:
    """Returns the field of the INVALID_ARGUMENT that the work must raise."""
    try:
        work()
    except CarillonError as error:
        assert (error.code, error.effect, error.attempts) == ("INVALID_ARGUMENT", "not_executed", 0), error
        return error.field
    raise AssertionError("nothing was refused")


def request(name: str, *arguments: Any, **options: Any) -> Dict[str, Any]:
    """Returns the fields of the request that a method makes."""
    fields: Dict[str, Any] = getattr(Operations, name).implementation(Operations(), *arguments, **options).fields
    return fields


class ClientArgumentsTests(unittest.TestCase):
    def send(self, audience: Any = None, payload: Any = "{}", **options: Any) -> Dict[str, Any]:
        return request("send", APP, carillon.all_devices() if audience is None else audience, payload, **options)

    def test_only_values_of_type_audience_are_accepted_as_audiences(self) -> None:
        for wrong in ("all", "raids", [], [7], {}, {"all": True}, 5, True, object()):
            with self.subTest(wrong=wrong):
                self.assertEqual(fault(lambda: self.send(wrong)), "audience")
        self.assertEqual(fault(lambda: request("send", APP, None, "{}")), "audience")

    def test_a_missing_or_empty_name_makes_no_audience(self) -> None:
        missing: Any
        makers: List[Any] = [carillon.devices, carillon.groups, carillon.topic, carillon.condition]
        for make in makers:
            for missing in (None, "", [], (), 0, False, b""):
                with self.subTest(make=make.__name__, missing=missing):
                    self.assertEqual(fault(lambda: make(missing)), "audience")
        self.assertEqual(fault(lambda: carillon.groups(["a", None])), "audience")  # type: ignore[list-item]

    def test_a_text_is_no_list(self) -> None:
        self.assertEqual(fault(lambda: carillon.devices(TOKEN)), "audience")
        self.assertEqual(fault(lambda: carillon.groups("user/42")), "audience")
        self.assertEqual(fault(lambda: request("join", APP, "g", TOKEN)), "devices")
        self.assertEqual(fault(lambda: request("subscribe", APP, "raids", devices=[1])), "topics")

    def test_an_audience_is_made_by_its_functions_only(self) -> None:
        with self.assertRaises(TypeError):
            carillon.Audience()

    def test_an_option_with_none_is_refused(self) -> None:
        for name in ("languages", "expiration", "collapse_id", "not_after", "lane", "excluded_device", "dry_run",
                     "send_at", "pace", "over_budget", "id_key", "label", "key", "push_type",
                     "android", "android_raw", "web", "web_raw"):
            with self.subTest(name):
                named = {"languages": "bodies", "excluded_device": "except"}.get(name, name)
                self.assertEqual(fault(lambda: self.send(**{name: None})), named)

    def test_dry_run_is_true_or_false(self) -> None:
        for wrong in (1, 0, "false", "true", float("nan"), object()):
            with self.subTest(wrong=wrong):
                self.assertEqual(fault(lambda: self.send(dry_run=wrong)), "dry_run")
        self.assertEqual(self.send(dry_run=True)["dry_run"], 1)
        self.assertNotIn("dry_run", self.send(dry_run=False))

    def test_an_unknown_option_is_a_type_error_of_every_method(self) -> None:
        client = Client("127.0.0.1:1", lazy=True)
        for name in [each for each in dir(AppOperations) if not each.startswith("_")]:
            with self.subTest(name), self.assertRaises(TypeError):
                getattr(client, name)(APP, dryrun=True)
        client.close()

    def test_an_empty_list_that_would_mean_all_is_refused(self) -> None:
        self.assertEqual(fault(lambda: request("resend", APP, 1, outcomes=[])), "outcomes")
        client = Client("127.0.0.1:1", lazy=True)
        self.assertEqual(fault(lambda: client.events(apps=[])), "apps")
        self.assertEqual(fault(lambda: client.events(kinds=[])), "kinds")
        self.assertEqual(fault(lambda: client.events(kinds=["message-finishd"])), "kinds")
        self.assertEqual(fault(lambda: client.events(start="yesterday")), "start")
        client.close()

    def test_a_name_that_is_none_is_refused_with_its_field(self) -> None:
        self.assertEqual(fault(lambda: self.send(push_type="allert")), "push_type")
        self.assertEqual(fault(lambda: self.send(lane="fast")), "lane")
        self.assertEqual(fault(lambda: request("register", APP, TOKEN, environment="staging")), "environment")
        self.assertEqual(fault(lambda: request("update_message", APP, 1, "stop")), "action")

    def test_times_have_a_zone(self) -> None:
        noon = datetime(2026, 11, 22, 12, 0, 0, 999, tzinfo=timezone(timedelta(hours=1)))
        fields = self.send(send_at=noon, not_after=1_790_000_000_123, expiration=noon)
        self.assertEqual((fields["send_at"], fields["not_after"], fields["expiration"]),
                         (1_795_345_200_000, 1_790_000_000_123, 1_795_345_200))
        self.assertEqual(fault(lambda: self.send(send_at=noon.replace(tzinfo=None))), "send_at")
        self.assertEqual(fault(lambda: self.send(send_at=1.5)), "send_at")

    def test_devices_are_named_in_four_ways(self) -> None:
        token = bytes.fromhex(TOKEN)
        forms = [request("lookup", APP, each)["device"] for each in (
            7, TOKEN, token, carillon.Token(token, "sandbox", "voip"))]
        self.assertEqual(forms, [b"\2" + bytes(7) + b"\7", b"\1\1\1\x20" + token, b"\1\1\1\x20" + token,
                                 b"\1\2\2\x20" + token])
        for wrong in (-1, 2**64, "xyz", "abc", b"", bytes(256), None, 1.5, True):
            with self.subTest(wrong=str(wrong)[:9]):
                self.assertEqual(fault(lambda: request("lookup", APP, wrong)), "device")
        with self.assertRaises(CarillonError) as caught:
            carillon.devices([7, "xyz"])
        self.assertEqual((caught.exception.field, caught.exception.item), ("devices", 1))

    def test_a_key_has_three_forms_and_is_random_if_it_is_missing(self) -> None:
        key = uuid.uuid4()
        for form in (key, key.bytes, str(key)):
            self.assertEqual(self.send(key=form)["key"], key.bytes)
        self.assertEqual(self.send(key=carillon.NO_KEY)["key"], bytes(16))
        made = uuid.UUID(bytes=self.send()["key"])
        self.assertEqual((made.version, made.variant), (4, uuid.RFC_4122))
        self.assertNotEqual(self.send()["key"], self.send()["key"])
        self.assertEqual(fault(lambda: self.send(key="x")), "key")

    def test_a_child_process_has_other_keys(self) -> None:
        self.send()
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks of processes with threads
            child = os.fork()
        if child == 0:
            os.write(writer, b"".join(self.send()["key"] for _ in range(3)))
            os._exit(0)
        os.waitpid(child, 0)
        theirs = os.read(reader, 48)
        ours = [self.send()["key"] for _ in range(300)]
        self.assertEqual(set(ours) & {theirs[at:at + 16] for at in (0, 16, 32)}, set())
        self.assertEqual(len(set(ours)), 300)
        os.close(reader)
        os.close(writer)

    def test_each_language_has_its_body(self) -> None:
        raid = Notification(title="Raid", body="It begins")
        fields = self.send(payload=raid, languages={"de": carillon.Translation(body="Es beginnt"), "AT": b"{}"})
        self.assertEqual([each["language"] for each in fields["bodies"]], ["AT", "de"])
        self.assertIn("Es beginnt".encode(), fields["bodies"][1]["payload"])
        self.assertEqual(self.send(payload=raid, languages={"de": "{}"}, only_languages=True)["payload"], b"")
        self.assertEqual(fault(lambda: self.send(payload="{}", languages={"de": carillon.Translation()})), "bodies.de")
        self.assertEqual(fault(lambda: self.send(languages=["de"])), "bodies")

    def test_a_value_that_cannot_be_encoded_names_its_field(self) -> None:
        client = Client("127.0.0.1:1", lazy=True)
        self.assertEqual(fault(lambda: client.groups(APP, limit=-1)), "limit")
        self.assertEqual(fault(lambda: client.groups(APP, prefix="a\0")), "prefix")
        self.assertEqual(fault(lambda: client.groups(None)), "app")  # type: ignore[arg-type]
        self.assertEqual(fault(lambda: client.message_status(APP, 2**64)), "message_id")
        self.assertEqual(fault(lambda: client.send(APP, carillon.topic("t"), "{}", pace=float("nan"))),  # type: ignore
                         "pace")
        client.close()

    def test_items_of_a_batch_name_their_index(self) -> None:
        client = Client("127.0.0.1:1", lazy=True)
        good, bad = carillon.Registration(APP, TOKEN), carillon.Registration(APP, "xyz")
        with self.assertRaises(CarillonError) as caught:
            client.register_batch([good, bad])
        self.assertEqual((caught.exception.field, caught.exception.item), ("items", 1))
        client.close()


class ClientOptionsTests(unittest.TestCase):
    def test_impossible_options_are_refused(self) -> None:
        cases: List[Tuple[str, Any]] = [
            ("addresses", ""), ("addresses", "a:1,,b:2"), ("addresses", "host"), ("addresses", "a:0"),
            ("addresses", "[::1]"), ("addresses", "::1:7474"), ("addresses", []), ("addresses", ["a:1"] * 33),
            ("request_timeout", -1), ("request_timeout", float("nan")), ("request_timeout", "10"),
            ("maximum_attempts", 0), ("maximum_attempts", 1.5), ("maximum_in_flight", 0),
            ("maximum_receive_bytes", 4095), ("security", "none"),
            ("address_order", "random"), ("api_key", ""), ("api_key", "x" * 257), ("api_key", 7)]
        for name, value in cases:
            with self.subTest(name=name, value=str(value)[:12]):
                self.assertEqual(fault(lambda: Options(**{name: value})), name)
        with self.assertRaises(TypeError):
            Options(adresses="a:1")  # type: ignore[call-arg]

    def test_addresses_are_a_list_or_a_text(self) -> None:
        for addresses in (" a:1 , [::1]:2,unix:/run/x ", ["a:1", " [::1]:2", "unix:/run/x"]):
            self.assertEqual(Options(addresses=addresses).addresses, ("a:1", "[::1]:2", "unix:/run/x"))

    def test_tls_is_used_where_it_must_be(self) -> None:
        cases: List[Tuple[Dict[str, Any], bool]] = [
            ({"addresses": "localhost:1"}, False), ({"addresses": "127.0.0.9:1"}, False),
            ({"addresses": "[::1]:1"}, False), ({"addresses": "unix:/x"}, False),
            ({"addresses": "push.example.com:1"}, True), ({"addresses": "10.0.0.1:1"}, True),
            ({"addresses": "localhost:1", "security": "tls"}, True),
            ({"addresses": "localhost:1", "ca_file": "x"}, True),
            ({"addresses": "10.0.0.1:1", "security": "plaintext_anywhere"}, False)]
        for options, has_tls in cases:
            with self.subTest(options=options):
                made = Options(**options)
                self.assertEqual(made.has_tls(made.parsed_addresses[0]), has_tls)

    def test_the_name_of_the_client_has_64_bytes_at_most(self) -> None:
        self.assertEqual(Options().software_text, f"carillon-python/{carillon.__version__}")
        text = Options(program_name="ü" * 60).software_text
        self.assertTrue(text.startswith(f"carillon-python/{carillon.__version__} üü"))
        self.assertIn(len(text.encode()), (63, 64))

    def test_the_environment_gives_options_that_arguments_override(self) -> None:
        variables = {"CARILLON_SERVER": "a:1,b:2", "CARILLON_API_KEY_FILE": "/k", "CARILLON_API_KEY": SECRET,
                     "CARILLON_APP": APP, "CARILLON_CA_FILE": "", "CARILLON_SECURITY": "tls"}
        with mock.patch.dict(os.environ, variables):
            made = Options.from_environment(request_timeout=3)
            self.assertEqual((made.addresses, made.api_key_file, made.api_key, made.security, made.ca_file),
                             (("a:1", "b:2"), "/k", None, "tls", None))
            self.assertEqual(Options.from_environment(api_key="other").api_key_file, None)
            client = Client.from_environment(lazy=True)
            self.assertEqual(client.app().name, APP)
            client.close()
            with self.assertRaises(TypeError):
                Client.from_environment(reqest_timeout=3)

    def test_an_impossible_variable_is_named_without_its_value(self) -> None:
        for name, value in (("CARILLON_SERVER", "nowhere"), ("CARILLON_SECURITY", "some"),
                            ("CARILLON_API_KEY", SECRET * 100)):
            with self.subTest(name), mock.patch.dict(os.environ, {name: value}):
                with self.assertRaises(CarillonError) as caught:
                    Client.from_environment()
                self.assertEqual((caught.exception.code, caught.exception.field), ("INVALID_ARGUMENT", name))
                self.assertNotIn(SECRET, repr(caught.exception) + str(caught.exception))

    def test_without_an_app_there_is_no_default_app(self) -> None:
        with mock.patch.dict(os.environ, {"CARILLON_APP": ""}):
            client = Client.from_environment(lazy=True)
            self.assertEqual(fault(client.app), "app")
            client.close()


class PrintedFormsTests(unittest.TestCase):
    def test_printed_forms_contain_no_secret(self) -> None:
        client = Client("127.0.0.1:1", api_key=SECRET, lazy=True, ca_text=None)
        made = [Options(api_key=SECRET), client, client.app(APP), aio.Client(api_key=SECRET), client.batch(),
                carillon.Token(TOKEN), carillon.Registration(APP, TOKEN), carillon.devices([TOKEN]),
                client._runner, client._runner.dispatcher]
        with self.assertRaises(CarillonError) as caught:
            client.send(APP, carillon.devices([TOKEN]), SECRET, label="a\0")
        made += [caught.exception, caught.exception.args, pickle.loads(pickle.dumps(caught.exception))]
        for each in made:
            for text in (repr(each), str(each), f"{each}"):
                self.assertNotIn(SECRET, text)
                self.assertNotIn(TOKEN, text.lower())
        client.close()

    def test_a_printed_token_shows_none_of_its_bytes(self) -> None:
        text = "fedcba9876543210"
        tokens: List[Tuple[Union[bytes, str], Union[bytes, str]]] = [
            (text, text * 32), (bytes.fromhex(text), bytes.fromhex(text * 32))]
        for token, too_long in tokens:
            made: List[Any] = [carillon.Token(token), carillon.Registration(APP, token), carillon.devices([token])]
            with self.assertRaises(CarillonError) as caught:
                carillon.devices([token, too_long])
            for each in (*made, caught.exception):
                self.assertNotRegex(f"{each!r} {each}", r"(?i)fedc|\\xfe")

    def test_errors_survive_copies_and_processes(self) -> None:
        error = CarillonError("NOT_FOUND", "no such device", field="device", item=3)
        error.key = uuid.uuid4()
        for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            self.assertEqual(vars(twin), vars(error))
            self.assertEqual(str(twin), "NOT_FOUND (not_executed): field device, item 3: no such device")


class BlockingClientTests(unittest.TestCase):
    def setUp(self) -> None:
        self.server = LoopbackServer()

    def tearDown(self) -> None:
        self.server.close()

    def test_all_threads_use_one_connection(self) -> None:
        states: List[str] = []
        with Client(self.server.address, on_state=lambda report: states.append(report.state)) as client:
            with ThreadPoolExecutor(16) as pool:
                ids = list(pool.map(lambda id: client.lookup(APP, id).device_id, range(3000)))
        self.assertEqual(ids, list(range(3000)))
        self.assertEqual(states, ["connecting", "connected", "closed"])

    def test_calls_one_by_one_batches_and_threads_take_turns(self) -> None:
        with Client(self.server.address) as client:
            for round in range(8):
                self.assertEqual(client.lookup(APP, round).device_id, round)
                with client.batch() as batch:
                    pending = [batch.lookup(APP, id) for id in range(2500)]
                self.assertEqual([each.result().device_id for each in pending], list(range(2500)))
                threads = [threading.Thread(target=client.lookup, args=(APP, 1)) for _ in range(3)]
                for thread in threads:
                    thread.start()
                self.assertEqual(client.lookup(APP, round).device_id, round)
                for thread in threads:
                    thread.join(10)
                    self.assertFalse(thread.is_alive())

    def test_an_idle_client_answers_pings_and_notices_the_end(self) -> None:
        ended = threading.Event()
        with Client(self.server.address, probe_after=0.05, ping_timeout=0.1, request_timeout=5, maximum_attempts=1,
                    on_state=lambda report: ended.set() if report.state == "disconnected" else None) as client:
            self.assertEqual(client.lookup(APP, 1).device_id, 1)
            self.server.is_mute = True
            begun = time.monotonic()
            with self.assertRaises(CarillonError) as caught:
                client.with_options(timeout=0.2).lookup(APP, 2)
            self.assertEqual((caught.exception.code, caught.exception.effect), ("NO_ANSWER", "not_executed"))
            self.assertGreaterEqual(time.monotonic() - begun, 0.2)
            self.server.is_mute = False
            self.assertEqual(client.lookup(APP, 3).device_id, 3)

    def test_a_fault_in_a_batch_is_an_error_of_its_line_and_the_rest_is_performed(self) -> None:
        with Client(self.server.address) as client:
            with client.batch() as batch:
                good = batch.lookup(APP, 1)
                self.assertEqual(fault(lambda: batch.groups(APP, limit=-1)), "limit")
                with self.assertRaises(RuntimeError):
                    good.result()  # it is not performed yet
            self.assertEqual(good.result().device_id, 1)
            self.assertEqual(client._runner.dispatcher.queue.request_bytes, 0)

    def test_an_interruption_cancels_the_call(self) -> None:
        # A shell starts its background jobs with the signal ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        self.server.is_mute = True
        with Client(self.server.address) as client:
            threading.Timer(0.2, lambda: signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                client.lookup(APP, 1)
            self.server.is_mute = False
            self.assertEqual(client.lookup(APP, 2).device_id, 2)
            self.assertEqual(client._runner.dispatcher.queue.request_bytes, 0)

    def test_a_closed_client_refuses_calls_and_closes_again(self) -> None:
        client = Client(self.server.address).connect()
        client.close()
        client.close()
        with self.assertRaises(CarillonError) as caught:
            client.lookup(APP, 1)
        self.assertEqual((caught.exception.code, caught.exception.effect), ("CLOSED", "not_executed"))

    def test_a_child_process_cannot_use_the_client(self) -> None:
        with Client(self.server.address) as client:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of forks of processes with threads
                child = os.fork()
            if child == 0:
                try:
                    client.lookup(APP, 1)
                except CarillonError as error:
                    client.close()
                    os._exit(7 if error.code == "CLOSED" else 1)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
            self.assertEqual(client.lookup(APP, 2).device_id, 2)

    def test_a_forgotten_client_leaves_no_thread(self) -> None:
        client = Client(self.server.address).connect()
        background = client._runner._background
        assert background.thread is not None
        with background.lock:  # the garbage collector can run in a thread that holds it
            del client
            gc.collect()
        background.thread.join(10)
        self.assertFalse(background.thread.is_alive())

    def test_views_and_streams_keep_their_client(self) -> None:
        app = Client(self.server.address).app(APP).with_options(timeout=5)
        gc.collect()
        self.assertEqual(app.lookup(7).device_id, 7)
        self.assertEqual(app.lookup(8).device_id, 8)
        app._client.close()

    def test_a_program_that_forgets_close_ends(self) -> None:
        program = f"import carillon; print(carillon.Client({self.server.address!r}).connect().lookup('a', 5).device_id)"
        done = subprocess.run([sys.executable, "-B", "-c", program], env={**os.environ, "PYTHONPATH": str(CLIENT)},
                              capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "5\n", ""))


class AsyncioClientTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(False)
        self.server = LoopbackServer()

    async def asyncTearDown(self) -> None:
        self.server.close()

    async def test_tasks_use_one_connection_and_one_write(self) -> None:
        async with aio.Client(self.server.address) as client:
            devices = await asyncio.gather(*(client.lookup(APP, id) for id in range(3000)))
            self.assertEqual([each.device_id for each in devices], list(range(3000)))
            async with client.batch() as batch:
                pending = [batch.lookup(APP, id) for id in range(5000)]
            self.assertEqual([each.result().device_id for each in pending], list(range(5000)))

    async def test_a_cancelled_task_ends_its_call(self) -> None:
        self.server.is_mute = True
        async with aio.Client(self.server.address) as client:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(client.lookup(APP, 1), 0.05)
            task = asyncio.create_task(client.lookup(APP, 1))
            await asyncio.sleep(0)  # pause: the task begins
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual(client._runner.dispatcher.queue.request_bytes, 0)

    def test_retry_is_true_or_false(self) -> None:
        clients: List[Any] = [Client("127.0.0.1:1"), aio.Client("127.0.0.1:1")]
        for client in clients:
            for wrong in (None, "no", 0):
                self.assertEqual(fault(lambda: client.with_options(retry=wrong)), "retry")

    async def test_with_options_changes_the_deadline_only_there(self) -> None:
        self.server.is_mute = True
        async with aio.Client(self.server.address) as client:
            with self.assertRaises(CarillonError) as caught:
                await client.app(APP).with_options(timeout=timedelta(milliseconds=50)).lookup(1)
            self.assertEqual((caught.exception.code, caught.exception.is_safe_to_retry), ("NO_ANSWER", True))
            self.server.is_mute = False
            self.assertEqual((await client.app(APP).lookup(2)).device_id, 2)

    async def test_the_server_is_shown(self) -> None:
        async with aio.Client(self.server.address) as client:
            self.assertEqual((client.server.software, client.server.principal, client.server.keepalive),
                             ("loopback/1.0", None, 30.0))
            self.assertGreater(await client.ping(), 0)

    async def test_a_client_belongs_to_one_loop(self) -> None:
        async with aio.Client(self.server.address) as client:
            with ThreadPoolExecutor(1) as pool:
                used = pool.submit(lambda: asyncio.run(client.lookup(APP, 1)))
                with self.assertRaisesRegex(RuntimeError, "event loop of its first use"):
                    await asyncio.wrap_future(used)
            self.assertEqual((await client.lookup(APP, 2)).device_id, 2)

    async def test_without_a_server_it_says_why(self) -> None:
        gone = LoopbackServer()
        gone.close()
        with self.assertRaises(CarillonError) as caught:
            async with aio.Client(gone.address):
                pass
        self.assertEqual((caught.exception.code, len(caught.exception.causes)), ("CANNOT_CONNECT", 1))


class ClientDocumentationTests(unittest.TestCase):
    def test_everything_public_is_documented(self) -> None:
        for kind in (Client, carillon.App, carillon.Batch, carillon.EventStream, aio.Client, aio.App, aio.EventStream,
                     Options, CarillonError, Notification):
            for name in [each for each in vars(kind) if not each.startswith("_")]:
                value = getattr(kind, name)
                if callable(value) or isinstance(value, property):
                    self.assertTrue((value.__doc__ or "").strip(), f"{kind.__name__}.{name}")
        for name in carillon.__all__:
            if isinstance(getattr(carillon, name), type):
                self.assertTrue(getattr(carillon, name).__doc__, name)

    def test_the_readme_shows_the_examples_as_they_are(self) -> None:
        readme = (CLIENT / "README.md").read_text("utf-8")
        for path in sorted((CLIENT / "examples").glob("*.py")):
            if path.name == "common.py":
                continue
            body = path.read_text("utf-8").partition('"""\n')[2].strip()
            shown = textwrap.dedent(body).replace("from common import example\n\n", "")
            shown = shown.replace("\n\n\nexample(main)", "")
            self.assertIn(f"```python\n{shown.strip()}\n```", readme, path.name)


if __name__ == "__main__":
    unittest.main()
