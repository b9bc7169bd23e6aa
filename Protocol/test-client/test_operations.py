"""The methods of the client: the fields that they send, and the values that they return."""
import unittest
from typing import Any, Callable, Dict, List, Tuple

import crln
from crln import Client
from scripted_server import APP, ClientTestCase, ScriptedServer, ServerConnection


class ClientMethodsTests(ClientTestCase):
    """Each method and its answer."""

    def test_values_of_a_later_server_have_a_name(self) -> None:
        def script(connection: ServerConnection) -> None:
            outcomes = [{"outcome": 1, "devices": 2}, {"outcome": 60, "devices": 1}]
            connection.write("message_status", {"state": 9, "accepted_at": 1, "finished_at": 0, "total": 3,
                                                "outcomes": outcomes}, connection.read_frame().id)
            results = [{"code": 12, "device_id": 0, "result": 0}, {"code": 0, "device_id": 4, "result": 3}]
            connection.write("register_batch", {"results": results}, connection.read_frame().id)

        with ScriptedServer(script) as server, server.client() as client:
            status = client.message_status(APP, 7)
            self.assertEqual((status["state"], status["outcomes"]), ("unknown-9", {"delivered": 2, "unknown-60": 1}))
            results = client.register_batch([{"app": APP, "token": "ab"},
                                             {"app": APP, "token": b"\1", "replaces": "02"}])
            self.assertEqual(results, [{"error": "STALE"}, {"device_id": 4, "result": "replaced"}])

    def test_every_operation_has_a_method(self) -> None:
        internal = {"hello", "auth", "subscribe_events", "event_credit", "unsubscribe_events"}
        self.assertEqual({name for name in set(crln.OPCODES) - internal if not hasattr(Client, name)}, set())

    def test_a_join_has_the_fields_of_the_call(self) -> None:
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

    def test_a_leave_says_that_topics_are_cleared(self) -> None:
        result, message, fields = self.asked({"left": 1, "unknown": []}, lambda client: client.leave(
            APP, "user/42", [42], clear_topics=True))
        self.assertEqual((result["left"], message, fields["clear_topics"]), (1, "leave", 1))

    def test_a_switch_names_both_groups_and_returns_what_has_changed(self) -> None:
        result, message, fields = self.asked(
            {"device_id": 42, "changed": 2, "message_id": 0}, lambda client: client.switch(APP, 42, "role/1", "role/2"))
        self.assertEqual(result, {"device_id": 42, "left": False, "joined": True, "message_id": 0})
        self.assertEqual((message, fields["from"], fields["to"]), ("switch", "role/1", "role/2"))

    def test_a_group_is_unmuted(self) -> None:
        result, _, fields = self.asked({"devices": 3}, lambda client: client.update_group(APP, "user/42", muted=False))
        self.assertEqual((result, fields["muted"]), (3, 0))

    def test_a_listing_returns_the_rows_of_the_answer(self) -> None:
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

    def test_a_subscription_has_the_topics_devices_and_groups_of_the_call(self) -> None:
        for name in ("subscribe", "unsubscribe"):
            with self.subTest(name):
                result, message, fields = self.asked({"changed": 2, "unknown": []}, lambda client: getattr(
                    client, name)(APP, ["level5"], [42], ["user/42"]))
                self.assertEqual((result["changed"], message), (2, name))
                self.assertEqual(fields, {"app": APP, "topics": ["level5"], "devices": [{"id": 42}],
                                          "groups": ["user/42"]})

    def test_an_update_of_a_device_has_what_the_call_changes(self) -> None:
        result, _, fields = self.asked({"device_id": 42}, lambda client: client.update_device(
            APP, 42, locale="", attributes={"b": "", "a": "1"}, muted=True))
        self.assertEqual(result, 42)
        self.assertEqual(fields, {"app": APP, "device": {"id": 42}, "locale": "", "muted": 1,
                                  "attributes": [{"key": "a", "value": "1"}, {"key": "b", "value": ""}]})

    def test_a_lookup_returns_attributes_by_their_keys(self) -> None:
        result, _, _ = self.asked(
            {"device_id": 42, "environment": 1, "kind": 1, "token": b"t", "registered_at": 1, "seen_at": 1, "state": 1,
             "attributes": [{"key": "platform", "value": "ios"}]}, lambda client: client.lookup(APP, 42))
        self.assertEqual((result["attributes"], result["muted"]), ({"platform": "ios"}, False))

    def test_each_audience_is_sent_with_its_number(self) -> None:
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

    def test_a_dry_run_that_is_false_is_not_sent(self) -> None:
        accepted = {"message_id": 7, "duplicate": 0, "total": 3, "ended": 0}
        _, _, fields = self.asked(accepted, lambda client: client.send_to(APP, {}, topic="t", dry_run=False))
        self.assertNotIn("dry_run", fields)

    def test_an_update_of_a_message_has_the_number_of_its_action_and_returns_the_state(self) -> None:
        for action, number in (("cancel", 1), ("pause", 2), ("resume", 3)):
            with self.subTest(action):
                result, message, fields = self.asked({"state": 5},
                                                     lambda client: client.update_message(APP, 7, action))
                self.assertEqual((result, message, fields), ("paused", "update_message",
                                                             {"app": APP, "message_id": 7, "action": number}))

    def test_an_update_of_the_pace_has_the_pace_of_the_call(self) -> None:
        _, _, fields = self.asked({"state": 2}, lambda client: client.update_message(APP, 7, "pace", 100))
        self.assertEqual((fields["action"], fields["pace"]), (4, 100))

    def test_a_resend_has_the_outcomes_the_key_and_the_time_of_the_call(self) -> None:
        result, _, fields = self.asked(
            {"message_id": 8, "duplicate": 1, "total": 2, "ended": 0},
            lambda client: client.resend(APP, 7, ["gave-up", "bad-token"], key=b"k" * 16, not_after=9))
        self.assertEqual((result["duplicate"], fields["outcomes"], fields["key"]), (True, [4, 34], b"k" * 16))
        self.assertEqual(fields["not_after"], 9)

    def test_rows_of_messages_have_names_for_their_numbers(self) -> None:
        row = {"message_id": 7, "state": 4, "accepted_at": 1, "push_type": 2, "lane": 2, "total": 9, "ended": 0}
        result, _, fields = self.asked({"next": 7, "messages": [row]}, lambda client: client.messages(APP, 9, 1))
        self.assertEqual(fields, {"app": APP, "before": 9, "limit": 1})
        self.assertEqual(result, {"next": 7, "messages": [
            {**row, "state": "scheduled", "push_type": "background", "lane": "bulk"}]})

    def test_a_send_has_the_options_of_the_call(self) -> None:
        _, _, fields = self.asked({"message_id": 7, "duplicate": 0, "total": 1, "ended": 0}, lambda client: client.send(
            APP, [1], {}, send_at=5, pace=10, over_budget="wait", id_key="id", label="Raid"))
        self.assertEqual([fields[name] for name in ("send_at", "pace", "over_budget", "id_key", "label")],
                         [5, 10, 2, "id", "Raid"])

    def test_messages_are_listed_by_state_sender_and_label(self) -> None:
        row = {"message_id": 7, "state": 3, "accepted_at": 1, "push_type": 1, "lane": 1, "total": 3, "ended": 3}
        detail = {"delivered": 2, "failed": 1, "label": "Raid at 21:00", "sender": "live-ops"}
        result, message, fields = self.asked(
            {"next": 0, "messages": [row], "details": [detail]},
            lambda client: client.messages(APP, state="finished", sender="live-ops", label="Raid"))
        self.assertEqual((message, fields), ("messages", {
            "app": APP, "before": 0, "limit": 1000, "state": 3, "sender": "live-ops", "label": "Raid"}))
        self.assertEqual(result["messages"], [
            {**row, "state": "finished", "push_type": "alert", "lane": "interactive", **detail}])

    def test_a_listing_with_fewer_details_than_messages_is_refused(self) -> None:
        row = {"message_id": 7, "state": 3, "accepted_at": 1, "push_type": 1, "lane": 1, "total": 3, "ended": 3}
        detail = {"delivered": 2, "failed": 1, "label": "Raid at 21:00", "sender": "live-ops"}
        with self.assertRaises(crln.ProtocolError):
            self.asked({"next": 0, "messages": [row, row], "details": [detail]}, lambda client: client.messages(APP))

    def test_the_status_of_a_message_has_its_label_and_its_sender(self) -> None:
        status = {"state": 3, "accepted_at": 1, "finished_at": 2, "total": 1,
                  "outcomes": [{"outcome": 1, "devices": 1}], "label": "Raid at 21:00", "sender": "live-ops"}
        result, _, _ = self.asked(status, lambda client: client.message_status(APP, 7))
        self.assertEqual((result["label"], result["sender"]), ("Raid at 21:00", "live-ops"))

    # The answer to a TRACE without its tags: the device is no recipient.
    untagged_trace: Dict[str, Any] = {"device_id": 42, "state": 3, "addressing": 2, "outcome": 0, "flags": 0}

    def test_a_trace_has_names_for_its_numbers(self) -> None:
        answer = {"device_id": 42, "state": 2, "addressing": 1, "outcome": 0, "flags": 0b110,
                  "sources": [{"kind": 3, "name": "level5", "through": "user/42"},
                              {"kind": 9, "name": "", "through": ""}],
                  "muted_groups": ["user/42"], "language": "de",
                  "attempts": [{"at": 5, "connection": 3, "status": 503, "reason": "ServiceUnavailable"}],
                  "next_attempt_at": 9}
        result, message, fields = self.asked(answer, lambda client: client.trace(APP, 7, 42))
        self.assertEqual((message, fields), ("trace", {"app": APP, "message_id": 7, "device": {"id": 42}}))
        self.assertEqual(result, {
            "device_id": 42, "state": "sending", "addressing": "recipient", "outcome": "pending", "quarantined": False,
            "muted": True, "language": "de", "muted_groups": ["user/42"], "next_attempt_at": 9,
            "sources": [{"kind": "topic", "name": "level5", "through": "user/42"},
                        {"kind": "unknown-9", "name": "", "through": ""}],
            "attempts": [{"at": 5, "connection": 3, "status": 503, "reason": "ServiceUnavailable", "unique_id": ""}]})

    def test_an_attempt_of_a_trace_has_its_unique_id_if_there_is_one(self) -> None:
        attempts = [{"at": at, "connection": 3, "status": 200, "reason": ""} for at in (5, 6, 7)]
        answer = {**self.untagged_trace, "attempts": attempts, "unique_ids": ["", "0e9a64d6"]}
        result, _, _ = self.asked(answer, lambda client: client.trace(APP, 7, 0))
        self.assertEqual([each["unique_id"] for each in result["attempts"]], ["", "0e9a64d6", ""])

    def test_the_flags_of_a_trace_say_what_is_known_about_its_device(self) -> None:
        for flags, tags, wanted in ((0, {}, (False, False, None)), (1, {}, (True, False, None)),
                                    (4, {}, (False, False, "")), (6, {"language": "zh"}, (False, True, "zh"))):
            with self.subTest(flags=flags):
                result, _, _ = self.asked({**self.untagged_trace, "flags": flags, **tags},
                                          lambda client: client.trace(APP, 7, b"t"))
                self.assertEqual((result["quarantined"], result["muted"], result["language"]), wanted)

    def test_a_trace_without_tags_has_empty_lists(self) -> None:
        for flags in (0, 1, 4, 6):
            with self.subTest(flags=flags):
                result, _, _ = self.asked({**self.untagged_trace, "flags": flags},
                                          lambda client: client.trace(APP, 7, b"t"))
                self.assertEqual((result["sources"], result["muted_groups"], result["attempts"]), ([], [], []))
                self.assertEqual(result["addressing"], "no-recipient")
                self.assertNotIn("silent_budget_left", result)

    def test_a_restore_names_the_device_of_the_call(self) -> None:
        result, message, fields = self.asked({"device_id": 42}, lambda client: client.restore(APP, 42))
        self.assertEqual((result, message, fields), (42, "restore", {"app": APP, "device": {"id": 42}}))

    def test_the_listing_of_the_quarantine_returns_its_page(self) -> None:
        result, _, _ = self.asked({"next": 0, "devices": [42]}, lambda client: client.quarantine(APP))
        self.assertEqual(result, {"next": 0, "devices": [42]})

    def test_receipts_name_their_messages_devices_and_kinds(self) -> None:
        result, _, fields = self.asked({"counted": 1, "unknown": [1]}, lambda client: client.receipts(
            APP, [(7, 42, "received"), (8, b"t", "opened")]))
        self.assertEqual(result, {"counted": 1, "unknown": [1]})
        self.assertEqual(fields["receipts"], [
            {"message_id": 7, "device": {"id": 42}, "kind": 1},
            {"message_id": 8, "device": {"token": {"environment": 1, "kind": 1, "token": b"t"}}, "kind": 2}])

    def test_a_listing_of_receipts_names_the_message_and_the_kind(self) -> None:
        _, _, fields = self.asked({"next": 0, "devices": []}, lambda client: client.receipt_devices(APP, 7, "opened"))
        self.assertEqual((fields["message_id"], fields["kind"]), (7, 2))

    def test_the_answer_says_whether_a_forgotten_subscriber_was_known(self) -> None:
        for result, was_known in ((1, True), (2, False)):
            answer, message, fields = self.asked({"result": result}, lambda client: client.forget_subscriber("billing"))
            self.assertEqual((answer, message, fields), (was_known, "forget_subscriber", {"name": "billing"}))

    def test_the_listing_of_devices_has_their_records(self) -> None:
        row = {"device_id": 42, "environment": 1, "kind": 1, "token": b"\1\2", "registered_at": 5, "seen_at": 4,
               "state": 2, "attributes": [{"key": "tier", "value": "gold"}], "muted": 1}
        answer = {"next": 43, "devices": [crln.encode_payload(crln.FROM_SERVER["lookup"], row)]}
        result, message, fields = self.asked(answer, lambda client: client.devices(APP, 7, 10))
        self.assertEqual((message, fields), ("devices", {"app": APP, "cursor": 7, "limit": 10}))
        device, = result["devices"]
        self.assertEqual((result["next"], device["device_id"], device["token"], device["state"], device["attributes"],
                          device["muted"]), (43, 42, b"\1\2", "quarantined", {"tier": "gold"}, True))

    def test_statistics_have_names_for_their_numbers(self) -> None:
        empty = {name: [] if isinstance(part, crln.ListOf) else "" if name == "software" else 0
                 for name, part in crln.FROM_SERVER["statistics"].fixed.items()}
        answer = {**empty, "requests": [{"opcode": 0x50, "code": 0, "count": 2, "micros": 9},
                                        {"opcode": 0x13, "code": 10, "count": 1, "micros": 3}],
                  "lanes": [{"lane": 2, "messages": 1, "waiting": 2, "delayed": 3, "in_flight": 4}],
                  "outcomes": [{"outcome": 1, "devices": 7}],
                  "pools": [{"credential": "main", "environment": 2, "parked": 1, "opening": 0, "open": 1,
                             "draining": 0, "in_flight": 0, "streams": 9, "throttle": 0, "attempts": 5}],
                  "answers": [{"pool": 0, "status": 410, "reason": "Unregistered", "count": 3}], "kept": 4}
        result, message, fields = self.asked(answer, lambda client: client.statistics(10))
        self.assertEqual((message, fields), ("statistics", {"limit": 10}))
        self.assertEqual([(row["operation"], row["result"], row["count"]) for row in result["requests"]],
                         [("send", "ok", 2), ("lookup", "NOT_FOUND", 1)])
        self.assertEqual((result["lanes"][0]["lane"], result["outcomes"], result["kept"]),
                         ("bulk", {"delivered": 7}, 4))
        pool = result["pools"][0]
        self.assertEqual((pool["environment"], pool["parked"]), ("sandbox", True))
        self.assertEqual(pool["answers"], [{"status": 410, "reason": "Unregistered", "count": 3}])

    def test_the_error_of_a_condition_names_its_column(self) -> None:
        def script(connection: ServerConnection) -> None:
            connection.error(connection.read_frame().id, "INVALID_ARGUMENT", field="condition", column=9)

        with ScriptedServer(script) as server, server.client() as client:
            error = self.error_of(lambda: client.explain(APP, "'level5'"), "INVALID_ARGUMENT", "not_executed")
            self.assertEqual((error.field, error.column), ("condition", 9))


class MethodArgumentsTests(ClientTestCase):
    """What a caller may write, and what is refused before anything is sent."""

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

    def test_two_audiences_are_refused_before_anything_is_sent(self) -> None:
        with ScriptedServer() as server, server.client() as client:
            error = self.error_of(lambda: client.send_to(APP, {}, topic="a", groups=["b"]), "INVALID_ARGUMENT",
                                  "not_executed")
            self.assertEqual(error.field, "audience")
            self.error_of(lambda: client.send_to(APP, {}, topic="a", all_devices=True), "INVALID_ARGUMENT",
                          "not_executed")

    def test_a_subscription_of_no_device_and_no_group_is_refused_before_anything_is_sent(self) -> None:
        with ScriptedServer() as server, server.client() as client:
            self.error_of(lambda: client.subscribe(APP, ["level5"]), "INVALID_ARGUMENT", "not_executed")

    def test_an_audience_that_is_missing_is_not_all_devices(self) -> None:
        with ScriptedServer() as server, server.client() as client:
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
                error = self.error_of(call, "INVALID_ARGUMENT", "not_executed")
                self.assertEqual(error.field, "audience")
                self.assertIn(words, error.message)
            self.error_of(lambda: client.send(APP, [None], {}), "INVALID_ARGUMENT", "not_executed")
            self.error_of(lambda: client.send_to(APP, {}, groups=[]), "INVALID_ARGUMENT", "not_executed")
            self.error_of(lambda: client.send_to(APP, {}, topic=""), "INVALID_ARGUMENT", "not_executed")

    def test_an_option_that_is_neither_true_nor_false_is_refused_and_not_sent(self) -> None:
        with ScriptedServer() as server, server.client() as client:
            for value in (None, "false", 0, 1):
                with self.subTest(value=value):
                    wrong: Any = value
                    error = self.error_of(lambda: client.send_to(APP, {}, all_devices=wrong), "INVALID_ARGUMENT",
                                          "not_executed")
                    self.assertEqual(error.field, "audience")
                    error = self.error_of(lambda: client.send(APP, [1], {}, dry_run=wrong), "INVALID_ARGUMENT",
                                          "not_executed")
                    self.assertEqual(error.field, "dry_run")

    def test_a_misspelt_option_is_a_type_error_and_sends_nothing(self) -> None:
        with ScriptedServer() as server, server.client() as client:
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


if __name__ == "__main__":
    unittest.main()
