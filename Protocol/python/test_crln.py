"""The vectors through the codec, and the client against a server of a few lines."""
# Long: it tests one file; most of its tests are one conversation each between the client and a server of a few lines.
import json
import os
import pathlib
import queue
import socket
import tempfile
import threading
import time
import unittest
from typing import Any, Callable, Dict, List, Optional, Tuple

import crln
from crln import CarillonError, Client, Endpoint, ProtocolError

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"
APP = "com.example.game"
LAST_IDS = {"preface": 0, "hello": 0, "auth": 1, "open": 2}


def load(folder: str) -> List[Dict[str, Any]]:
    paths = sorted((VECTORS / folder).glob("*.json"))
    if not paths:
        raise AssertionError(f"no vectors in {folder}")
    cases: List[Dict[str, Any]] = []
    for path in paths:
        content = json.loads(path.read_text("utf-8"))
        cases += content if isinstance(content, list) else [content]
    return cases


class Vectors(unittest.TestCase):
    def test_there_are_enough_and_names_are_unique(self) -> None:
        for folder, least in (("valid", 120), ("invalid", 200)):
            names = [case["name"] for case in load(folder)]
            self.assertGreaterEqual(len(names), least)
            self.assertEqual(sorted(names), sorted(set(names)))

    def test_what_is_written_by_hand_is_there(self) -> None:
        self.assertGreater(len(json.loads((VECTORS / "conditions.json").read_text("utf-8"))), 100)

    def test_valid_decodes_to_its_fields(self) -> None:
        for case in load("valid"):
            with self.subTest(case["name"]):
                frame = read_valid(case)
                self.assertEqual(frame.message, case["message"])
                self.assertEqual({"kind": frame.kind, "flags": frame.flags, "opcode": frame.opcode,
                                  "id": str(frame.id)},
                                 case["frame"])
                fields = {}
                if frame.message != "ignored":
                    fields = crln.fields_to_json(crln.LAYOUTS[case["from"]][frame.message], frame.fields)
                self.assertEqual(fields, case["fields"])
                self.assertEqual([{"tag": tag, "hex": raw.hex()} for tag, raw in frame.unknown_tags],
                                 case.get("unknown_tags", []))

    def test_valid_encodes_to_its_bytes(self) -> None:
        encoded = 0
        for case in load("valid"):
            if case.get("decode_only") or "unknown_tags" in case:
                continue
            with self.subTest(case["name"]):
                layout = crln.LAYOUTS[case["from"]][case["message"]]
                fields = crln.fields_from_json(layout, case["fields"])
                data = crln.encode(case["from"], case["message"], fields, int(case["frame"]["id"]),
                                   opcode=case["frame"]["opcode"], flags=case["frame"]["flags"])
                self.assertEqual(data.hex(), case["hex"])
                encoded += 1
        self.assertGreaterEqual(encoded, 120)

    def test_the_codec_is_that_of_the_layouts(self) -> None:
        """The client is one file without data, so it repeats layouts.json: field by field the same."""
        layouts = json.loads((VECTORS.parent / "layouts.json").read_text("utf-8"))
        names = {id(part): name for name, part in (
            ("u8", crln.U8), ("u16", crln.U16), ("u32", crln.U32), ("u64", crln.U64), ("uuid", crln.UUID),
            ("str", crln.STR), ("bytes", crln.BYTES), ("token", crln.TOKEN), ("topic", crln.TOPIC),
            ("device", crln.DEVICE), ("data8", crln.PING.fixed["data"]))}

        def shape(part: Any) -> Any:
            if hasattr(part, "parts"):
                return {"struct": [[name, shape(each)] for name, each in part.parts.items()]}
            return names.get(id(part)) or {"list": shape(part.part)}

        def described(layout: crln.Layout) -> Any:
            tags = [[tag, name, shape(part)] for tag, (name, part) in sorted(layout.tags.items())]
            return layout.opcode, [[name, shape(part)] for name, part in layout.fixed.items()], tags

        expected = {("client", "ping"): (3, layouts["ping"]["fixed"], []),
                    ("server", "ping"): (3, layouts["ping"]["fixed"], []),
                    ("client", "position"): (5, layouts["position"]["fixed"], []),
                    ("server", "position"): (5, layouts["position"]["fixed"], []),
                    ("server", "goaway"): (4, layouts["goaway"]["fixed"], []),
                    ("server", "error"): (0, layouts["error"]["fixed"], layouts["error"]["tags"]),
                    ("server", "event"): (layouts["event"]["opcode"], layouts["event"]["fixed"],
                                          layouts["event"]["tags"])}
        for each in layouts["requests"]:
            request, response = each["request"], each["response"]
            expected["client", each["name"]] = (
                each["opcode"], request["fixed"], sorted(layouts["common_tags"] + request.get("tags", [])))
            expected["server", each["name"]] = (each["opcode"], response["fixed"], sorted(response.get("tags", [])))
        found = {(sender, message): described(layout) for sender, messages in crln.LAYOUTS.items()
                 for message, layout in messages.items()}
        self.assertEqual(set(found), set(expected))
        for key in sorted(found):
            with self.subTest(key):
                self.assertEqual(found[key], expected[key])

    def test_every_message_and_error_code_is_there(self) -> None:
        cases = load("valid")
        for sender, layouts in crln.LAYOUTS.items():
            present = {case["message"] for case in cases if case["from"] == sender}
            self.assertEqual(present, set(layouts) | {"ignored"})
            for layout in layouts.values():
                names = {name for case in cases if case["from"] == sender and case["message"] == layout.message
                         for name in case["fields"]}
                self.assertEqual(names, set(layout.parts()), layout.message)
        codes = {case["fields"]["code"] for case in cases if case["message"] == "error"}
        self.assertLessEqual(set(crln.ERRORS), codes)

    def test_invalid_gives_exactly_its_error(self) -> None:
        for case in load("invalid"):
            if "column" in case["expect"]:
                continue  # a condition: see test_conditions_are_left_to_the_server
            with self.subTest(case["name"]):
                data, expect = bytes.fromhex(case["hex"]), case["expect"]
                if expect == "close":
                    with self.assertRaises(crln.NotCarillon):
                        crln.answer_preface(data[:16])
                    continue
                with self.assertRaises(ProtocolError) as caught:
                    if case["phase"] == "preface":
                        crln.answer_preface(data)
                    else:
                        crln.decode(data, "client", case["phase"], LAST_IDS[case["phase"]])
                error = caught.exception
                answer = {"code": error.code, "scope": error.scope, "field": error.field, "item": error.item}
                # The limits are the server's: this reader does not say them.
                expected = {name: value for name, value in expect.items() if name != "limit"}
                self.assertEqual({name: value for name, value in answer.items() if value is not None}, expected)

    def test_conditions_are_left_to_the_server(self) -> None:
        cases = [case for case in load("invalid") if "column" in case["expect"]]
        self.assertGreater(len(cases), 5)
        for case in cases:
            with self.subTest(case["name"]):
                self.assertEqual(case["expect"]["field"], "condition")
                data = bytes.fromhex(case["hex"])
                message = crln.BY_OPCODE["client", crln.REQUEST][int.from_bytes(data[6:8], "big")]
                try:
                    self.assertIn("condition", crln.decode(data, "client", "open", 2).fields)
                except ProtocolError as error:  # its length is wrong
                    self.assertEqual((error.code, error.field, message.message),
                                     ("INVALID_ARGUMENT", "condition", message.message))

    def test_a_payload_cut_short_is_malformed_or_ends_with_the_fixed_part(self) -> None:
        for case in load("valid"):
            data, sender = bytes.fromhex(case["hex"]), case["from"]
            layout = crln.LAYOUTS[sender].get(case["message"])
            if layout is None or layout.untagged or len(data) > 700 or case.get("decode_only"):
                continue
            fixed = len(crln.encode_payload(layout, {
                name: value for name,
                value in crln.fields_from_json(layout, case["fields"]).items() if name in layout.fixed}))
            # A SEND without its tags can lack the name of its audience, or a payload.
            lacking = case["message"] == "send" and sender == "client" and (
                case["fields"]["audience"] in crln.AUDIENCE_FIELDS.values() or not case["fields"]["payload"])
            for size in range(len(data) - crln.HEADER.size):
                payload = data[crln.HEADER.size:][:size]
                with self.subTest(case["name"], size=size):
                    if size == fixed and not lacking:
                        crln.decode_payload(layout, payload, sender)
                    else:
                        with self.assertRaises(ProtocolError) as caught:
                            crln.decode_payload(layout, payload, sender)
                        wanted = "INVALID_ARGUMENT" if size == fixed else "MALFORMED"
                        self.assertEqual(caught.exception.code, wanted)

    def test_sessions_are_prefaces_and_whole_frames(self) -> None:
        for session in load("sessions"):
            first, second, *rest = session["steps"]
            answer = crln.answer_preface(bytes.fromhex(first["hex"]))
            self.assertEqual((first["from"], second["from"], answer.hex()), ("client", "server", second["hex"]))
            phases = {"hello": ("hello", 0), "auth": ("auth", 1)}
            asked: Dict[int, str] = {}
            subscriptions = set()
            for step in rest:
                data = bytes.fromhex(step["hex"])
                opcode = int.from_bytes(data[6:8], "big")
                phase, last_id = {1: phases["hello"], 2: phases["auth"]}.get(opcode, ("open", 2))
                frame = crln.decode(data, step["from"], phase, last_id)
                if step["from"] == "client":
                    asked[frame.id] = frame.message
                elif frame.message == "event":
                    self.assertIn(frame.id, subscriptions)
                else:
                    if frame.message == "subscribe_events":
                        subscriptions.add(frame.id)
                    self.assertEqual(asked.pop(frame.id), frame.message)
            self.assertEqual(asked, {})

    def test_the_example_of_the_text(self) -> None:
        data = crln.client_preface() + crln.encode("client", "hello", {"software": "py/1.0", "receive_limit": 0}, 1)
        self.assertEqual(data.hex(" ").upper(), (
            "C3 43 52 4C 4E 0D 0A 1A 01 01 00 00 00 00 00 00 "
            "00 00 00 0C 01 00 00 01 00 00 00 00 00 00 00 01 00 06 70 79 2F 31 2E 30 00 00 00 00"))


def read_valid(case: Dict[str, Any]) -> crln.Frame:
    phase = {"hello": "hello", "auth": "auth"}.get(case["message"], "open")
    return crln.decode(bytes.fromhex(case["hex"]), case["from"], phase, LAST_IDS[phase])


# ---------------------------------------------------------------------------------------------- a server

class Peer:
    """The server's side of one connection, after the handshake."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(10)

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.sock.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def read(self, phase: str = "open", last_id: int = 0) -> crln.Frame:
        header = self.exactly(16)
        return crln.decode(header + self.exactly(int.from_bytes(header[:4], "big")), "client", phase, last_id)

    def write(self, message: str, fields: Dict[str, Any], id: int = 0, **options: Any) -> None:
        self.sock.sendall(crln.encode("server", message, fields, id, **options))

    def error(self, id: int, code: str, scope: int = 0, effect: int = 0, retry: int = crln.NEVER, **tags: Any) -> None:
        number = next(number for number, name in crln.ERRORS.items() if name == code)
        self.write("error", {"code": number, "scope": scope, "effect": effect, "retry_after_ms": retry, "message": "",
                             **tags}, id, opcode=0x10 if id else 0)

    def goaway(self, last_id: int, wait: int = 0) -> None:
        self.write("goaway", {"last_id": last_id, "code": 20, "grace_ms": 1000, "reconnect_after_ms": wait,
                              "reason": "restart"})

    def hello(self, key: Optional[bytes]) -> None:
        self.sock.sendall(crln.answer_preface(self.exactly(16)))
        frame = self.read("hello")
        self.write("hello", {
            "software": "fake/1", "epoch": bytes(16), "clock": 1_790_000_000_000, "frame_limit": 1 << 20,
            "in_flight_limit": 64,
            "batch_limit": 1000, "keepalive_ms": 30000, "ping_interval_ms": 1, "idempotency_window_s": 60,
            "authenticated": int(key is None), "opcodes": []}, frame.id)
        if key is None:
            return
        frame = self.read("auth", frame.id)
        if frame.fields["credential"] != key:
            self.error(frame.id, "AUTHENTICATION_FAILED")
            raise ConnectionError
        self.write("auth", {"principal": "test", "grants": []}, frame.id)


Script = Callable[[Peer], None]


class FakeServer:
    """Accepts one connection for each script, one after the other, and plays it."""

    def __init__(self, *scripts: Script, key: Optional[bytes] = None, unix_path: Optional[str] = None) -> None:
        self.scripts, self.key = scripts, key
        self.accepted_second = threading.Event()
        self.failures: List[BaseException] = []
        self.accepted: List[float] = []
        if unix_path:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(unix_path)
            self.listener.listen()
        else:
            self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(10)
        self.threads: List[threading.Thread] = []
        self.acceptor = threading.Thread(target=self._accept, daemon=True)
        self.acceptor.start()

    def _accept(self) -> None:
        try:
            for script in self.scripts:
                sock, _ = self.listener.accept()
                self.accepted.append(time.monotonic())
                thread = threading.Thread(target=self._play, args=(sock, script), daemon=True)
                thread.start()
                self.threads.append(thread)
        except BaseException as failure:
            self.failures.append(failure)

    def _play(self, sock: socket.socket, script: Script) -> None:
        try:
            with sock:
                peer = Peer(sock)
                peer.hello(self.key)
                script(peer)
        except ConnectionError:
            pass
        except BaseException as failure:
            self.failures.append(failure)

    def client(self, **options: Any) -> Client:
        options = {"timeout": 5.0, "backoff": 0.005, **options}
        return Client(Endpoint("127.0.0.1", self.listener.getsockname()[1], api_key=self.key), **options)

    def __enter__(self) -> "FakeServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.acceptor.join(10)
        for thread in self.threads:
            thread.join(10)
        self.listener.close()
        if self.failures:
            raise self.failures[0]


def created(peer: Peer, frame: crln.Frame, device_id: int = 1) -> None:
    peer.write("register", {"device_id": device_id, "result": 1}, frame.id)


def serve_one(peer: Peer) -> None:
    created(peer, peer.read())


def at_once(count: int, work: Callable[[int], Any]) -> List[Any]:
    """Runs `work(0)`, `work(1)`, … on threads. Returns results or exceptions in order."""
    results: List[Any] = [None] * count

    def run(index: int) -> None:
        try:
            results[index] = work(index)
        except CarillonError as error:
            results[index] = error

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    return results


class Behaviour(unittest.TestCase):
    def error_of(self, work: Callable[[], Any], code: str, effect: str) -> CarillonError:
        with self.assertRaises(CarillonError) as caught:
            work()
        self.assertEqual((caught.exception.code, caught.exception.effect), (code, effect))
        return caught.exception

    def test_answers_out_of_order_find_their_requests(self) -> None:
        def script(peer: Peer) -> None:
            frames = [peer.read() for _ in range(20)]  # the client sends all before the first answer
            self.assertEqual([frame.id for frame in frames], sorted(frame.id for frame in frames))
            for frame in reversed(frames):
                created(peer, frame, frame.fields["token"][0])

        with FakeServer(script) as server, server.client() as client:
            answers = at_once(20, lambda index: client.register(APP, bytes([index + 1]), seen_at=1))
        self.assertEqual([answer["device_id"] for answer in answers], list(range(1, 21)))

    def test_the_key_is_sent_and_a_wrong_one_is_refused(self) -> None:
        with FakeServer(serve_one, key=b"right") as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab")["result"], "created")
        with FakeServer(serve_one, key=b"right") as server:
            port = server.listener.getsockname()[1]
            error = self.error_of(lambda: Client.connect(port=port, plaintext=True, api_key="wrong"),
                                  "AUTHENTICATION_FAILED", "not executed")
            self.assertIsNone(error.retry_after)

    def test_a_unix_socket(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            with FakeServer(serve_one, unix_path=path), Client.connect(unix_path=path, timeout=5) as client:
                self.assertEqual(client.register(APP, "ab")["device_id"], 1)

    def test_errors_are_typed(self) -> None:
        def script(peer: Peer) -> None:
            peer.error(peer.read().id, "STALE")
            peer.error(peer.read().id, "INVALID_ARGUMENT", field="devices", item=3)

        with FakeServer(script) as server, server.client() as client:
            stale = self.error_of(lambda: client.register(APP, "ab", seen_at=1), "STALE", "not executed")
            self.assertEqual((stale.scope, stale.retry_after), ("request", None))
            wrong = self.error_of(lambda: client.send(APP, [1], {}), "INVALID_ARGUMENT", "not executed")
            self.assertEqual((wrong.field, wrong.item), ("devices", 3))

    def test_a_value_out_of_range_is_not_sent(self) -> None:
        with FakeServer() as server, server.client() as client:
            error = self.error_of(lambda: client.send(APP, [1], b"[]"), "INVALID_ARGUMENT", "not executed")
            self.assertEqual(error.field, "payload")
            self.error_of(lambda: client.register(APP, "ab", kind="fax"), "INVALID_ARGUMENT", "not executed")
            self.error_of(lambda: client.register(APP, "xyz"), "INVALID_ARGUMENT", "not executed")
            self.error_of(lambda: client.register(APP, "ab", seen_at=-1), "INVALID_ARGUMENT", "not executed")
            batch = [{"app": APP, "token": "ab"}, {"app": APP, "token": "cd", "seen_at": -1}]
            error = self.error_of(lambda: client.register_batch(batch), "INVALID_ARGUMENT", "not executed")
            self.assertEqual((error.field, error.item), ("items", 1))

    def test_overload_is_retried_on_the_same_connection(self) -> None:
        def script(peer: Peer) -> None:
            first = peer.read()
            peer.error(first.id, "OVERLOADED", retry=20)
            begun = time.monotonic()
            again = peer.read()
            self.assertGreaterEqual(time.monotonic() - begun, 0.015)
            self.assertGreater(again.id, first.id)
            created(peer, again)

        with FakeServer(script) as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab")["device_id"], 1)

    def test_a_lost_connection_repeats_only_what_is_safe(self) -> None:
        def lose(peer: Peer) -> None:
            peer.read()

        with FakeServer(lose, serve_one) as server, server.client() as client:
            self.assertEqual(client.register(APP, "ab", seen_at=5)["device_id"], 1)
        for unsafe in (lambda client: client.register(APP, "ab"), lambda client: client.unregister(APP, 7),
                       lambda client: client.send(APP, [1], {}, key=crln.NO_KEY),
                       lambda client: client.register_batch([{"app": APP, "token": "ab", "seen_at": 1},
                                                             {"app": APP, "token": "cd"}])):
            with FakeServer(lose) as server, server.client() as client:
                self.error_of(lambda: unsafe(client), "CONNECTION_LOST", "unknown")

    def test_a_repeated_send_has_the_same_key(self) -> None:
        keys: "queue.Queue[bytes]" = queue.Queue()

        def lose(peer: Peer) -> None:
            keys.put(peer.read().fields["key"])

        def answer(peer: Peer) -> None:
            frame = peer.read()
            keys.put(frame.fields["key"])
            peer.write("send", {"message_id": 7, "duplicate": 1, "total": 1, "ended": 0}, frame.id)

        with FakeServer(lose, answer) as server, server.client() as client:
            self.assertEqual(client.send(APP, [1], {}), {"message_id": 7, "duplicate": True, "total": 1, "ended": 0})
        first = keys.get()
        self.assertEqual(first, keys.get())
        self.assertNotEqual(first, crln.NO_KEY)

    def test_goaway_moves_new_requests_to_a_new_connection(self) -> None:
        read = threading.Event()

        def old(peer: Peer) -> None:
            frame = peer.read()
            peer.goaway(2**64 - 1, wait=50)
            peer.write("ping", {"data": bytes(8)})
            peer.read()  # the answer to PING says that GOAWAY has been read
            read.set()
            server.accepted_second.wait(10)
            created(peer, frame, 1)  # the outstanding request is answered on the old connection

        def new(peer: Peer) -> None:
            server.accepted_second.set()
            created(peer, peer.read(), 2)

        with FakeServer(old, new) as server, server.client() as client:
            def work(index: int) -> Any:
                if index:
                    read.wait(10)
                return client.register(APP, bytes([index + 1]))  # time 0: not safe to repeat after "unknown"

            begun = time.monotonic()
            answers = at_once(2, work)
        self.assertEqual([answer["device_id"] for answer in answers], [1, 2])
        self.assertGreaterEqual(server.accepted[1] - begun, 0.045)

    def test_requests_above_the_last_id_of_goaway_are_sent_again(self) -> None:
        def old(peer: Peer) -> None:
            frames = [peer.read(), peer.read()]
            peer.goaway(frames[0].id)
            created(peer, frames[0], frames[0].fields["token"][0])

        def new(peer: Peer) -> None:
            frame = peer.read()
            created(peer, frame, frame.fields["token"][0] + 100)

        with FakeServer(old, new) as server, server.client() as client:
            answers = at_once(2, lambda index: client.register(APP, bytes([index + 1])))
        self.assertEqual(sorted(answer["device_id"] > 100 for answer in answers), [False, True])

    def test_an_error_of_scope_connection_leaves_the_others_unknown(self) -> None:
        def script(peer: Peer) -> None:
            frames = [peer.read(), peer.read()]
            peer.error(frames[0].id, "WRONG_PHASE", scope=1)

        with FakeServer(script) as server, server.client() as client:
            errors = at_once(2, lambda index: client.register(APP, bytes([index + 1])))
        self.assertEqual(sorted((error.code, error.effect) for error in errors),
                         [("WRONG_PHASE", "not executed"), ("WRONG_PHASE", "unknown")])

    def test_the_client_answers_ping_and_asks(self) -> None:
        def script(peer: Peer) -> None:
            peer.write("ping", {"data": b"12345678"})
            frames = {frame.flags: frame for frame in (peer.read(), peer.read())}  # in either order
            answer, question = frames[crln.ACK], frames[0]
            self.assertEqual(answer.fields, {"data": b"12345678"})
            peer.write("ping", {"data": b"unasked!"}, flags=crln.ACK)
            peer.write("ping", question.fields, flags=crln.ACK)

        with FakeServer(script) as server, server.client() as client:
            self.assertEqual(client.server["software"], "fake/1")
            self.assertLess(client.ping(), 5)

    def test_a_deadline_is_sent_and_kept(self) -> None:
        done = threading.Event()

        def script(peer: Peer) -> None:
            late = peer.read()
            self.assertLessEqual(late.fields["deadline_ms"], 100)
            following = peer.read()
            created(peer, late, 66)  # the client does not wait for it any longer
            created(peer, following, 2)
            done.wait(10)

        with FakeServer(script) as server, server.client(timeout=0.1) as client:
            error = self.error_of(lambda: client.register(APP, "ab"), "NO_ANSWER", "unknown")
            self.assertEqual(error.scope, "request")
            client.timeout = 5.0
            self.assertEqual(client.register(APP, "cd")["device_id"], 2)
            done.set()

    def test_bytes_that_are_no_frame_end_the_connection(self) -> None:
        def script(peer: Peer) -> None:
            peer.read()
            peer.sock.sendall(b"\xff" * 64)

        with FakeServer(script) as server, server.client() as client:
            self.error_of(lambda: client.register(APP, "ab"), "CONNECTION_LOST", "unknown")

    def test_no_server_listens(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        client = Client(Endpoint("127.0.0.1", port), timeout=2, attempts=3, backoff=0.001)
        self.error_of(lambda: client.lookup(APP, 1), "CANNOT_CONNECT", "not executed")

    def test_values_of_a_later_server_have_a_name(self) -> None:
        def script(peer: Peer) -> None:
            peer.write("message_status", {"state": 9, "accepted_at": 1, "finished_at": 0, "total": 3, "outcomes": [
                {"outcome": 1, "devices": 2}, {"outcome": 60, "devices": 1}]}, peer.read().id)
            peer.write("register_batch", {"results": [{"code": 12, "device_id": 0, "result": 0},
                                                      {"code": 0, "device_id": 4, "result": 3}]}, peer.read().id)

        with FakeServer(script) as server, server.client() as client:
            status = client.message_status(APP, 7)
            self.assertEqual((status["state"], status["outcomes"]), ("unknown-9", {"delivered": 2, "unknown-60": 1}))
            results = client.register_batch([{"app": APP, "token": "ab"},
                                             {"app": APP, "token": b"\1", "replaces": "02"}])
            self.assertEqual(results, [{"error": "STALE"}, {"device_id": 4, "result": "replaced"}])

    def test_every_operation_has_a_method(self) -> None:
        internal = {"hello", "auth", "subscribe_events", "event_credit", "unsubscribe_events"}
        self.assertEqual({name for name in set(crln.OPCODES) - internal if not hasattr(Client, name)}, set())

    def asked(self, answer: Dict[str, Any], work: Callable[[Client], Any]) -> Any:
        """Returns the result of a call, and the message and the fields that it sent, without its deadline."""
        seen: List[Any] = []

        def script(peer: Peer) -> None:
            frame = peer.read()
            seen.append((frame.message, {name: value for name, value in frame.fields.items() if name != "deadline_ms"}))
            peer.write(frame.message, answer, frame.id)

        with FakeServer(script) as server, server.client() as client:
            return (work(client), *seen[0])

    def test_groups(self) -> None:
        result, message, fields = self.asked(
            {"joined": 1, "message_id": 7, "unknown": [1]},
            lambda client: client.join(APP, "user/42", [42, b"\1"], announcement={"aps": {"alert": "new sign-in"}},
                                       bodies={"de": b"{}"}))
        self.assertEqual(result, {"joined": 1, "message_id": 7, "unknown": [1]})
        self.assertEqual(message, "join")
        self.assertEqual(fields, {
            "app": APP, "group": "user/42",
            "devices": [{"id": 42}, {"token": {"environment": 1, "kind": 1, "token": b"\1"}}],
            "announcement": b'{"aps": {"alert": "new sign-in"}}',
            "bodies": [{"language": "de", "payload": b"{}"}]})

        result, message, fields = self.asked({"left": 1, "unknown": []}, lambda client: client.leave(
            APP, "user/42", [42], clear_topics=True))
        self.assertEqual((result["left"], message, fields["clear_topics"]), (1, "leave", 1))

        result, message, fields = self.asked(
            {"device_id": 42, "changed": 2, "message_id": 0}, lambda client: client.switch(APP, 42, "role/1", "role/2"))
        self.assertEqual(result, {"device_id": 42, "left": False, "joined": True, "message_id": 0})
        self.assertEqual((message, fields["from"], fields["to"]), ("switch", "role/1", "role/2"))

        result, _, fields = self.asked({"devices": 3}, lambda client: client.update_group(APP, "user/42", muted=False))
        self.assertEqual((result, fields["muted"]), (3, 0))

    def test_listings(self) -> None:
        for work, answer, wanted in (
                (lambda client: client.group_devices(APP, "g", 5, 10), {"next": 0, "devices": [42]},
                 {"next": 0, "devices": [42]}),
                (lambda client: client.groups(APP, "user/"),
                 {"next": "", "groups": [{"group": "user/1", "devices": 2, "muted": 1}]},
                 {"next": "", "groups": [{"group": "user/1", "devices": 2, "muted": True}]}),
                (lambda client: client.group_topics(APP, "g"), {"next": "t", "topics": ["t"]},
                 {"next": "t", "topics": ["t"]}),
                (lambda client: client.topics(APP), {"next": "", "topics": [{"topic": "t", "devices": 1}]},
                 {"next": "", "topics": [{"topic": "t", "devices": 1}]}),
                (lambda client: client.topic_devices(APP, "t"), {"next": 9, "devices": []}, {"next": 9, "devices": []}),
                (lambda client: client.memberships(APP, 42),
                 {"device_id": 42, "muted": 3, "groups": [{"group": "g", "muted": 1}],
                  "topics": [{"topic": "t", "source": ""}, {"topic": "t", "source": "g"}], "next": ""},
                 {"device_id": 42, "muted": ["device", "group"], "groups": {"g": True},
                  "topics": [("t", ""), ("t", "g")], "next": ""}),
                (lambda client: client.explain(APP, "'t'  in topics"),
                 {"condition": "'t' in topics", "devices": 2, "sets": [{"set": "'t' in topics", "devices": 2}]},
                 {"condition": "'t' in topics", "devices": 2, "sets": {"'t' in topics": 2}})):
            self.assertEqual(self.asked(answer, work)[0], wanted)

    def test_topics_and_devices(self) -> None:
        for name in ("subscribe", "unsubscribe"):
            result, message, fields = self.asked({"changed": 2, "unknown": []}, lambda client: getattr(client, name)(
                APP, ["level5"], [42], ["user/42"]))
            self.assertEqual((result["changed"], message), (2, name))
            self.assertEqual(fields, {"app": APP, "topics": ["level5"], "devices": [{"id": 42}], "groups": ["user/42"]})
        result, _, fields = self.asked({"device_id": 42}, lambda client: client.update_device(
            APP, 42, locale="", attributes={"b": "", "a": "1"}, muted=True))
        self.assertEqual(result, 42)
        self.assertEqual(fields, {"app": APP, "device": {"id": 42}, "locale": "", "muted": 1,
                                  "attributes": [{"key": "a", "value": "1"}, {"key": "b", "value": ""}]})
        result, _, _ = self.asked(
            {"device_id": 42, "environment": 1, "kind": 1, "token": b"t", "registered_at": 1, "seen_at": 1, "state": 1,
             "attributes": [{"key": "platform", "value": "ios"}]}, lambda client: client.lookup(APP, 42))
        self.assertEqual((result["attributes"], result["muted"]), ({"platform": "ios"}, False))

    def test_audiences(self) -> None:
        accepted = {"message_id": 7, "duplicate": 0, "total": 3, "ended": 0}
        for number, named in ((2, {"groups": ["user/42"]}), (3, {"topic": "level5"}), (4, {"condition": "all"}),
                              (5, {"all_devices": True})):
            _, _, fields = self.asked(accepted, lambda client: client.send_to(
                APP, b"", bodies={"zh": {"aps": {"alert": "你好"}}}, except_device=42, dry_run=True, lane="bulk",
                **named))
            self.assertEqual(
                {name: value for name, value in fields.items() if name not in ("app", "key", "push_type", "priority")},
                {"audience": number, "devices": [], "payload": b"", "lane": 2, "except": {"id": 42}, "dry_run": 1,
                 "bodies": [{"language": "zh", "payload": '{"aps": {"alert": "你好"}}'.encode()}],
                 **{name: value for name, value in named.items() if name != "all_devices"}})
        _, _, fields = self.asked(accepted, lambda client: client.send_to(APP, {}, topic="t", dry_run=False))
        self.assertNotIn("dry_run", fields)

    def test_steering(self) -> None:
        result, message, fields = self.asked({"state": 5}, lambda client: client.steer(APP, 7, "pause"))
        self.assertEqual((result, message, fields), ("paused", "steer", {"app": APP, "message_id": 7, "action": 2}))
        _, _, fields = self.asked({"state": 2}, lambda client: client.steer(APP, 7, "pace", 100))
        self.assertEqual((fields["action"], fields["pace"]), (4, 100))
        result, _, fields = self.asked(
            {"message_id": 8, "duplicate": 1, "total": 2, "ended": 0},
            lambda client: client.resend(APP, 7, ["gave-up", "bad-token"], key=b"k" * 16, not_after=9))
        self.assertEqual((result["duplicate"], fields["outcomes"], fields["key"]), (True, [4, 34], b"k" * 16))
        self.assertEqual(fields["not_after"], 9)
        row = {"message_id": 7, "state": 4, "accepted_at": 1, "push_type": 2, "lane": 2, "total": 9, "ended": 0}
        result, _, fields = self.asked({"next": 7, "messages": [row]}, lambda client: client.messages(APP, 9, 1))
        self.assertEqual(fields, {"app": APP, "before": 9, "limit": 1})
        self.assertEqual(result, {"next": 7, "messages": [
            {**row, "state": "scheduled", "push_type": "background", "lane": "bulk"}]})
        _, _, fields = self.asked({"message_id": 7, "duplicate": 0, "total": 1, "ended": 0}, lambda client: client.send(
            APP, [1], {}, send_at=5, pace=10, over_budget="wait", id_key="id", label="Raid"))
        self.assertEqual([fields[name] for name in ("send_at", "pace", "over_budget", "id_key", "label")],
                         [5, 10, 2, "id", "Raid"])

    def test_labels_and_senders(self) -> None:
        row = {"message_id": 7, "state": 3, "accepted_at": 1, "push_type": 1, "lane": 1, "total": 3, "ended": 3}
        detail = {"delivered": 2, "failed": 1, "label": "Raid at 21:00", "sender": "live-ops"}
        result, message, fields = self.asked(
            {"next": 0, "messages": [row], "details": [detail]},
            lambda client: client.messages(APP, state="finished", sender="live-ops", label="Raid"))
        self.assertEqual((message, fields), ("messages", {
            "app": APP, "before": 0, "limit": 1000, "state": 3, "sender": "live-ops", "label": "Raid"}))
        self.assertEqual(result["messages"], [
            {**row, "state": "finished", "push_type": "alert", "lane": "interactive", **detail}])
        with self.assertRaises(crln.ProtocolError):
            self.asked({"next": 0, "messages": [row, row], "details": [detail]}, lambda client: client.messages(APP))
        status = {"state": 3, "accepted_at": 1, "finished_at": 2, "total": 1,
                  "outcomes": [{"outcome": 1, "devices": 1}], "label": "Raid at 21:00", "sender": "live-ops"}
        result, _, _ = self.asked(status, lambda client: client.message_status(APP, 7))
        self.assertEqual((result["label"], result["sender"]), ("Raid at 21:00", "live-ops"))

    def test_trace(self) -> None:
        answer = {"device_id": 42, "state": 2, "addressing": 1, "outcome": 0, "flags": 0b110,
                "sources": [{"kind": 3, "name": "level5", "through": "user/42"},
                              {"kind": 9, "name": "", "through": ""}],
                "muted_groups": ["user/42"], "language": "de",
                "attempts": [{"at": 5, "connection": 3, "status": 503, "reason": "ServiceUnavailable"}],
                "next_attempt_at": 9}
        result, message, fields = self.asked(answer, lambda client: client.trace(APP, 7, 42))
        self.assertEqual((message, fields), ("trace", {"app": APP, "message_id": 7, "device": {"id": 42}}))
        self.assertEqual(result, {
            "device_id": 42, "state": "sending", "addressing": "addressed", "outcome": "pending", "quarantined": False,
            "muted": True, "language": "de", "muted_groups": ["user/42"], "next_attempt_at": 9,
            "sources": [{"kind": "topic", "name": "level5", "through": "user/42"},
                        {"kind": "unknown-9", "name": "", "through": ""}],
            "attempts": [{"at": 5, "connection": 3, "status": 503, "reason": "ServiceUnavailable", "unique_id": ""}]})
        attempts = [{"at": at, "connection": 3, "status": 200, "reason": ""} for at in (5, 6, 7)]
        answer = {**answer, "attempts": attempts, "unique_ids": ["", "0e9a64d6"]}
        result, _, _ = self.asked(answer, lambda client: client.trace(APP, 7, 0))
        self.assertEqual([each["unique_id"] for each in result["attempts"]], ["", "0e9a64d6", ""])

        plain = {"device_id": 42, "state": 3, "addressing": 2, "outcome": 0, "flags": 0}
        for flags, tags, wanted in ((0, {}, (False, False, None)), (1, {}, (True, False, None)),
                                    (4, {}, (False, False, "")), (6, {"language": "zh"}, (False, True, "zh"))):
            result, _, fields = self.asked({**plain, "flags": flags, **tags}, lambda client: client.trace(APP, 7, b"t"))
            self.assertEqual((result["quarantined"], result["muted"], result["language"]), wanted)
            self.assertEqual((result["sources"], result["muted_groups"], result["attempts"]), ([], [], []))
            self.assertEqual((result["addressing"], "silent_budget_left" in result), ("not addressed", False))

    def test_quarantine_and_receipts(self) -> None:
        result, message, fields = self.asked({"device_id": 42}, lambda client: client.restore(APP, 42))
        self.assertEqual((result, message, fields), (42, "restore", {"app": APP, "device": {"id": 42}}))
        result, _, _ = self.asked({"next": 0, "devices": [42]}, lambda client: client.quarantine(APP))
        self.assertEqual(result, {"next": 0, "devices": [42]})
        result, _, fields = self.asked({"counted": 1, "unknown": [1]}, lambda client: client.receipts(
            APP, [(7, 42, "received"), (8, b"t", "opened")]))
        self.assertEqual(result, {"counted": 1, "unknown": [1]})
        self.assertEqual(fields["receipts"], [
            {"message_id": 7, "device": {"id": 42}, "kind": 1},
            {"message_id": 8, "device": {"token": {"environment": 1, "kind": 1, "token": b"t"}}, "kind": 2}])
        _, _, fields = self.asked({"next": 0, "devices": []}, lambda client: client.receipt_devices(APP, 7, "opened"))
        self.assertEqual((fields["message_id"], fields["kind"]), (7, 2))

    def test_forget_subscriber(self) -> None:
        for result, was_known in ((1, True), (2, False)):
            answer, message, fields = self.asked({"result": result}, lambda client: client.forget_subscriber("billing"))
            self.assertEqual((answer, message, fields), (was_known, "forget_subscriber", {"name": "billing"}))

    def test_devices(self) -> None:
        row = {"device_id": 42, "environment": 1, "kind": 1, "token": b"\1\2", "registered_at": 5, "seen_at": 4,
               "state": 2, "attributes": [{"key": "tier", "value": "gold"}], "muted": 1}
        answer = {"next": 43, "devices": [crln.encode_payload(crln.FROM_SERVER["lookup"], row)]}
        result, message, fields = self.asked(answer, lambda client: client.devices(APP, 7, 10))
        self.assertEqual((message, fields), ("devices", {"app": APP, "cursor": 7, "limit": 10}))
        device, = result["devices"]
        self.assertEqual((result["next"], device["device_id"], device["token"], device["state"], device["attributes"],
                          device["muted"]), (43, 42, b"\1\2", "quarantined", {"tier": "gold"}, True))

    def test_statistics(self) -> None:
        empty = {name: [] if isinstance(part, crln._List) else "" if name == "software" else 0
                 for name, part in crln.FROM_SERVER["statistics"].fixed.items()}
        answer = {**empty, "requests": [{"opcode": 0x50, "code": 0, "count": 2, "micros": 9},
                                      {"opcode": 0x13, "code": 10, "count": 1, "micros": 3}],
                "lanes": [{"lane": 2, "messages": 1, "waiting": 2, "delayed": 3, "in_flight": 4}],
                "outcomes": [{"outcome": 1, "devices": 7}],
                "pools": [{"credential": "main", "environment": 2, "stopped": 1, "opening": 0, "open": 1, "draining": 0,
                           "in_flight": 0, "streams": 9, "throttle": 0, "attempts": 5}],
                "answers": [{"pool": 0, "status": 410, "reason": "Unregistered", "count": 3}], "kept": 4}
        result, message, fields = self.asked(answer, lambda client: client.statistics(10))
        self.assertEqual((message, fields), ("statistics", {"limit": 10}))
        self.assertEqual([(row["operation"], row["result"], row["count"]) for row in result["requests"]],
                         [("send", "ok", 2), ("lookup", "NOT_FOUND", 1)])
        self.assertEqual((result["lanes"][0]["lane"], result["outcomes"], result["kept"]),
                         ("bulk", {"delivered": 7}, 4))
        pool = result["pools"][0]
        self.assertEqual((pool["environment"], pool["stopped"]), ("sandbox", True))
        self.assertEqual(pool["answers"], [{"status": 410, "reason": "Unregistered", "count": 3}])

    @staticmethod
    def event(peer: Peer, id: int, sequence: int, kind: int = 1, **tags: Any) -> None:
        peer.write("event", {"sequence": sequence, "at": 5, "kind": kind, **tags}, id)

    def test_events(self) -> None:
        def script(peer: Peer) -> None:
            asked = peer.read()
            self.assertEqual(asked.fields, {"name": "ops", "from": 0, "apps": [APP], "kinds": [2], "credit": 4})
            peer.write("subscribe_events", {"after": 40}, asked.id)
            self.event(peer, asked.id, 41, 2, app=APP, message_id=7, outcome=4)
            self.event(peer, asked.id, 49, 0, missed_from=42, missed_to=50)
            credit = peer.read()
            self.assertEqual(credit.fields, {"subscription": asked.id, "credit": 6, "ack": 0})
            peer.write("event_credit", {}, credit.id)
            acknowledgement = peer.read()
            self.assertEqual(acknowledgement.fields, {"subscription": asked.id, "credit": 6, "ack": 49})
            peer.write("event_credit", {}, acknowledgement.id)
            self.event(peer, asked.id, 50, 999)
            end = peer.read()
            self.assertEqual((end.message, end.fields), ("unsubscribe_events", {"subscription": asked.id}))
            self.event(peer, asked.id, 51)  # sent before the server read the request
            peer.write("unsubscribe_events", {}, end.id)

        with FakeServer(script) as server, server.client() as client:
            with client.events(name="ops", apps=[APP], kinds=["delivery-failed"], window=4) as stream:
                self.assertEqual(stream.after, 40)
                self.assertEqual(next(stream), {"sequence": 41, "at": 5, "kind": "delivery-failed", "app": APP,
                                                "message_id": 7, "outcome": "gave-up"})
                gap = next(stream)
                self.assertEqual((gap["kind"], gap["missed_from"], gap["missed_to"]), ("gap", 42, 50))
                stream.acknowledge(gap["sequence"])
                self.assertEqual(next(stream)["kind"], "event-999")
                self.assertIsNone(stream.take(timeout=0.01))
            self.assertEqual(list(stream), [])

    def test_a_lost_connection_ends_the_stream(self) -> None:
        def script(peer: Peer) -> None:
            asked = peer.read()
            peer.write("subscribe_events", {"after": 0}, asked.id)
            self.event(peer, asked.id, 1)

        with FakeServer(script) as server, server.client() as client:
            stream = client.events(start=crln.NOW)
            self.assertEqual(next(stream)["kind"], "message-finished")
            for _ in range(2):
                self.error_of(lambda: next(stream), "CONNECTION_LOST", "unknown")

    def test_a_server_that_ignores_the_credit(self) -> None:
        def script(peer: Peer) -> None:
            asked = peer.read()
            peer.write("subscribe_events", {"after": 0}, asked.id)
            for sequence in range(1, 4):
                self.event(peer, asked.id, sequence)
            peer.exactly(1)

        with FakeServer(script) as server, server.client() as client:
            stream = client.events(window=2)
            connection, end = stream._connection, time.monotonic() + 5
            while connection.leaving is None and time.monotonic() < end:
                time.sleep(0.001)  # pause: between two looks at the connection
            self.assertEqual([next(stream)["sequence"]], [1])
            with self.assertRaises(CarillonError):
                list(stream)

    def test_a_subscription_that_is_refused(self) -> None:
        def script(peer: Peer) -> None:
            peer.error(peer.read().id, "FORBIDDEN")
            serve_one(peer)

        with FakeServer(script) as server, server.client() as client:
            self.error_of(lambda: client.events(), "FORBIDDEN", "not executed")
            self.error_of(lambda: client.events(apps=["*"]), "INVALID_ARGUMENT", "not executed")
            self.assertEqual(client._current(1).streams, {})
            self.assertEqual(client.register(APP, "ab")["device_id"], 1)

    def test_a_topic_may_have_the_prefix_of_fcm(self) -> None:
        accepted = {"message_id": 7, "duplicate": 0, "total": 3, "ended": 0}
        name = "/topics/level5"
        asked = [
            ({"changed": 1, "unknown": []}, lambda client: client.subscribe(APP, [name], [42]), "topics", ["level5"]),
            ({"changed": 1, "unknown": []}, lambda client: client.unsubscribe(APP, [name], [42]), "topics", ["level5"]),
            ({"device_id": 42, "result": 1}, lambda client: client.register(APP, b"t", topics=[name]), "topics",
             ["level5"]),
            ({"next": 0, "devices": []}, lambda client: client.topic_devices(APP, name), "topic", "level5"),
            (accepted, lambda client: client.send_to(APP, {"aps": {}}, topic=name), "topic", "level5")]
        for answer, work, field, wanted in asked:
            self.assertEqual(self.asked(answer, work)[2][field], wanted)

    def test_one_audience_only(self) -> None:
        with FakeServer() as server, server.client() as client:
            error = self.error_of(lambda: client.send_to(APP, {}, topic="a", groups=["b"]), "INVALID_ARGUMENT",
                                  "not executed")
            self.assertEqual(error.field, "audience")
            self.error_of(lambda: client.send_to(APP, {}, topic="a", all_devices=True), "INVALID_ARGUMENT",
                          "not executed")
            self.error_of(lambda: client.subscribe(APP, ["level5"]), "INVALID_ARGUMENT", "not executed")

    def test_an_audience_that_is_missing_is_not_all_devices(self) -> None:
        with FakeServer() as server, server.client() as client:
            calls: List[Tuple[Callable[[], Any], str]] = [
                (lambda: client.send_to(APP, {}), "no audience: give groups, topic, condition or all_devices=True"),
                (lambda: client.send_to(APP, {}, all_devices=False), "no audience"),
                (lambda: client.send(APP, None, {}), "devices is None")]
            for name in ("groups", "topic", "condition"):
                named: Dict[str, Any] = {name: None}
                calls.append((lambda named=named: client.send_to(APP, {}, **named), f"{name} is None"))
                calls.append((lambda named=named: client.send_to(
                    APP, {}, all_devices=True, **named), f"{name} is None"))
            for call, words in calls:
                error = self.error_of(call, "INVALID_ARGUMENT", "not executed")
                self.assertEqual((error.field, words in error.message), ("audience", True), error.message)
            self.error_of(lambda: client.send(APP, [None], {}), "INVALID_ARGUMENT", "not executed")
            self.error_of(lambda: client.send_to(APP, {}, groups=[]), "INVALID_ARGUMENT", "not executed")
            self.error_of(lambda: client.send_to(APP, {}, topic=""), "INVALID_ARGUMENT", "not executed")

    def test_what_is_not_true_or_false_sends_nothing(self) -> None:
        with FakeServer() as server, server.client() as client:
            for value in (None, "false", 0, 1):
                with self.subTest(value=value):
                    wrong: Any = value
                    error = self.error_of(lambda: client.send_to(APP, {}, all_devices=wrong), "INVALID_ARGUMENT",
                                          "not executed")
                    self.assertEqual(error.field, "audience")
                    error = self.error_of(lambda: client.send(APP, [1], {}, dry_run=wrong), "INVALID_ARGUMENT",
                                          "not executed")
                    self.assertEqual(error.field, "dry_run")

    def test_a_misspelt_option_is_a_type_error_and_sends_nothing(self) -> None:
        with FakeServer() as server, server.client() as client:
            for name in ("dryrun", "not_afer", "send_att", "expiratoin", "topics", "groups"):
                options: Dict[str, Any] = {name: 5}
                with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                    client.send(APP, [1], {}, **options)
                if name != "groups":
                    with self.subTest(name), self.assertRaisesRegex(TypeError, name):
                        client.send_to(APP, {}, topic="a", **options)

    def test_an_option_that_is_none_is_not_sent(self) -> None:
        accepted = {"message_id": 7, "duplicate": 0, "total": 3, "ended": 0}
        _, _, fields = self.asked(accepted, lambda client: client.send(
            APP, [1], {}, lane=None, expiration=None, bodies=None, except_device=None, over_budget=None, dry_run=False))
        self.assertEqual(set(fields), {"app", "key", "push_type", "priority", "audience", "devices", "payload"})

    def test_a_condition_that_the_server_cannot_read(self) -> None:
        def script(peer: Peer) -> None:
            peer.error(peer.read().id, "INVALID_ARGUMENT", field="condition", column=9)

        with FakeServer(script) as server, server.client() as client:
            error = self.error_of(lambda: client.explain(APP, "'level5'"), "INVALID_ARGUMENT", "not executed")
            self.assertEqual((error.field, error.column), ("condition", 9))

    def test_a_change_without_a_time_is_not_repeated(self) -> None:
        def lose(peer: Peer) -> None:
            peer.read()

        for change in (lambda client: client.join(APP, "g", [1]), lambda client: client.leave(APP, "g", [1]),
                       lambda client: client.switch(APP, 1, "a", "b"), lambda client: client.subscribe(APP, ["t"], [1]),
                       lambda client: client.unsubscribe(APP, ["t"], [1]),
                       lambda client: client.update_device(APP, 1, muted=True),
                       lambda client: client.update_group(APP, "g", muted=True),
                       lambda client: client.steer(APP, 7, "cancel"),
                       lambda client: client.resend(APP, 7, key=crln.NO_KEY)):
            with FakeServer(lose) as server, server.client() as client:
                self.error_of(lambda: change(client), "CONNECTION_LOST", "unknown")

    def test_many_long_answers(self) -> None:
        count = 60

        def script(peer: Peer) -> None:
            for _ in range(count):
                frame = peer.read()
                peer.write("message_outcomes", {"next": 0, "recipients": [{"device_id": 1, "outcome": 1}] * 1000},
                           frame.id)

        with FakeServer(script) as server, server.client(timeout=10) as client:
            pages = at_once(count, lambda index: client.message_outcomes(APP, index))
        self.assertTrue(all(len(page["recipients"]) == 1000 for page in pages))


if __name__ == "__main__":
    unittest.main()
