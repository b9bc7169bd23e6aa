"""The client of the tests: one method for each operation."""
from __future__ import annotations

import uuid
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from crln.arguments import (Payload, announcement_fields, attribute_fields, audience_error, device_field, item_payload,
                            payload_bytes, register_fields, registration_result, send_options, stored_device,
                            subscription_fields, value_of, without_none)
from crln.caller import Caller
from crln.errors import CarillonError, ProtocolError
from crln.event_stream import EventStream
from crln.names import (ADDRESSINGS, AUDIENCES, ENVIRONMENTS, ERRORS, EVENT_KINDS, LANES, MESSAGE_STATES,
                        MESSAGE_UPDATE_ACTIONS, NO_KEY, OUTCOMES, PUSH_TYPES, RECEIPTS, SOURCES, STORAGE_POLICIES,
                        TRACE_HAS_BODY, TRACE_MUTED, TRACE_QUARANTINED, UNREGISTERED, name_of)
from crln.operations import FROM_SERVER, OPCODES
from crln.payloads import decode_payload
from crln.value_types import bare_topic

# The default of an argument for which None is an error. Any, so that it fits the types of the arguments.
_NOT_GIVEN: Any = object()


class Client(Caller):
    """A client with a method for each operation."""

    def register(self, app: str, token: Union[str, bytes], **options: Any) -> Dict[str, Any]:
        """Registers a device.

        Options: environment, kind (names), seen_at (ms; 0 = now), replaces, locale, time_zone, topics, groups,
        attributes (a dictionary; an empty value removes the key) and subscription (of a browser, kind web: what
        `PushSubscription.toJSON()` gives; the token is `browser_token` of its endpoint).
        """
        fields = register_fields(app, token, **options)
        return registration_result(self.call("register", fields, repeatable=fields["seen_at"] != 0))

    def register_batch(self, items: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Registers devices; items are arguments of `register`. A refused item has `error`, a name of §15."""
        fields = [register_fields(**item) for item in items]
        payloads = [item_payload(index, each) for index, each in enumerate(fields)]
        answer = self.call("register_batch", {"items": payloads}, repeatable=all(each["seen_at"] for each in fields))
        if len(answer["results"]) != len(items):
            raise CarillonError("CONNECTION_LOST", "unknown", "the answer does not fit the batch", retry_after=None)
        return [{"error": name_of(ERRORS, result["code"])} if result["code"] else registration_result(result)
                for result in answer["results"]]

    def unregister(self, app: str, device: Any, at: int = 0) -> Dict[str, Any]:
        """Unregisters a device (see `device_field`). `at` is in ms, 0 = now."""
        answer = self.call("unregister", {"app": app, "device": device_field(device), "at": at}, repeatable=at != 0)
        return {"device_id": answer["device_id"], "result": name_of(UNREGISTERED, answer["result"])}

    def lookup(self, app: str, device: Any) -> Dict[str, Any]:
        """Returns the stored device, the token as bytes. `muted` is the switch of the device itself."""
        return stored_device(self.call("lookup", {"app": app, "device": device_field(device)}))

    def update_device(self, app: str, device: Any, *, locale: Optional[str] = None, time_zone: Optional[str] = None,
                      attributes: Optional[Dict[str, str]] = None, muted: Optional[bool] = None) -> int:
        """Changes the given values of a device and returns its id. Empty texts remove a value."""
        tags = {"locale": locale, "time_zone": time_zone, "attributes": attribute_fields(attributes),
                "muted": None if muted is None else int(muted)}
        answer = self.call("update_device", {"app": app, "device": device_field(device), **without_none(tags)},
                           repeatable=False)
        return answer["device_id"]

    def memberships(self, app: str, device: Any, after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns the groups of a device, and a page of its topics with the source of each ("" = the device itself).

        `next` is the `after` of the following page, "" after the last. `muted` is a list of "device" and "group".
        """
        answer = self.call("memberships", {"app": app, "device": device_field(device), "after": after, "limit": limit})
        return {**answer, "muted": [name for bit, name in ((1, "device"), (2, "group")) if answer["muted"] & bit],
                "groups": {each["group"]: bool(each["muted"]) for each in answer["groups"]},
                "topics": [(each["topic"], each["source"]) for each in answer["topics"]]}

    def restore(self, app: str, device: Any) -> int:
        """Takes a device out of quarantine and returns its id."""
        return self.call("restore", {"app": app, "device": device_field(device)})["device_id"]

    def quarantine(self, app: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of quarantined devices. `next` is the next cursor, 0 after the last page."""
        return self.call("quarantine", {"app": app, "cursor": cursor, "limit": limit})

    def join(self, app: str, group: str, devices: List[Any], *, announcement: Optional[Payload] = None,
             bodies: Optional[Dict[str, Payload]] = None) -> Dict[str, Any]:
        """Adds devices to a group.

        The announcement, an alert, goes to the *other* devices if a device is new. `bodies` are its languages by tag.
        `message_id` 0 = no announcement was sent. `unknown` are indices of devices that are not registered. A change of
        memberships is not repeated after effect "unknown": another change may have come between.
        """
        fields = {"app": app, "group": group, "devices": [device_field(device) for device in devices]}
        return self.call("join", {**fields, **announcement_fields(announcement, bodies)}, repeatable=False)

    def leave(self, app: str, group: str, devices: List[Any], *, clear_topics: bool = False) -> Dict[str, Any]:
        """Removes devices from a group. With `clear_topics` their own subscriptions end too, as at a sign-out."""
        fields = {"app": app, "group": group, "devices": [device_field(device) for device in devices]}
        return self.call("leave", {**fields, **({"clear_topics": 1} if clear_topics else {})}, repeatable=False)

    def switch(self, app: str, device: Any, from_group: str, to_group: str, *,
               announcement: Optional[Payload] = None,
               bodies: Optional[Dict[str, Payload]] = None) -> Dict[str, Any]:
        """Moves a device from one group to another in one step. Announcement and bodies as in `join`."""
        fields = {"app": app, "device": device_field(device), "from": from_group, "to": to_group}
        answer = self.call("switch", {**fields, **announcement_fields(announcement, bodies)}, repeatable=False)
        return {"device_id": answer["device_id"], "left": bool(answer["changed"] & 1),
                "joined": bool(answer["changed"] & 2), "message_id": answer["message_id"]}

    def group_devices(self, app: str, group: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of a group's devices. `next` is the next cursor, 0 after the last page."""
        return self.call("group_devices", {"app": app, "group": group, "cursor": cursor, "limit": limit})

    def groups(self, app: str, prefix: str = "", after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of groups with their numbers of devices. `next` is the next `after`, "" at the end."""
        answer = self.call("groups", {"app": app, "prefix": prefix, "after": after, "limit": limit})
        return {"next": answer["next"], "groups": [{**each, "muted": bool(each["muted"])} for each in answer["groups"]]}

    def update_group(self, app: str, group: str, muted: Optional[bool] = None) -> int:
        """Mutes or unmutes a group, and returns the number of its devices."""
        tags = {} if muted is None else {"muted": int(muted)}
        return self.call("update_group", {"app": app, "group": group, **tags}, repeatable=False)["devices"]

    def group_topics(self, app: str, group: str, after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the topics that a group is subscribed to."""
        return self.call("group_topics", {"app": app, "group": group, "after": after, "limit": limit})

    def subscribe(self, app: str, topics: List[str], devices: Iterable[Any] = (),
                  groups: Iterable[str] = ()) -> Dict[str, Any]:
        """Subscribes each device and group to each topic, at most 10,000 pairs. `changed` counts the new ones."""
        return self.call("subscribe", subscription_fields(app, topics, devices, groups), repeatable=False)

    def unsubscribe(self, app: str, topics: List[str], devices: Iterable[Any] = (),
                    groups: Iterable[str] = ()) -> Dict[str, Any]:
        """Reverses `subscribe`. `changed` counts the pairs that were subscribed."""
        return self.call("unsubscribe", subscription_fields(app, topics, devices, groups), repeatable=False)

    def topics(self, app: str, prefix: str = "", after: str = "", limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of topics with their numbers of devices."""
        return self.call("topics", {"app": app, "prefix": prefix, "after": after, "limit": limit})

    def topic_devices(self, app: str, topic: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of a topic's devices."""
        return self.call("topic_devices", {"app": app, "topic": bare_topic(topic), "cursor": cursor,
                                           "limit": limit})

    def explain(self, app: str, condition: str) -> Dict[str, Any]:
        """Returns a condition in its canonical form, its number of devices, and that of each of its sets."""
        answer = self.call("explain", {"app": app, "condition": condition})
        return {**answer, "sets": {each["set"]: each["devices"] for each in answer["sets"]}}

    def send(self, app: str, devices: List[Any], payload: Payload, *, push_type: str = "alert",
             priority: int = 0, key: Optional[bytes] = None, **options: Any) -> Dict[str, Any]:
        """Sends a push to named devices. Without `key` the client makes a random key; NO_KEY sends none.

        Options, as of `send_options`: lane, expiration (s), collapse_id, not_after (ms), bodies (payloads by language),
        except_device, dry_run, send_at (ms), pace (deliveries a second), over_budget ("drop" or "wait", of silent
        pushes), id_key (the key of the message's id in the payload), label (a text for listings and the server's log),
        android, android_raw (what Android devices get instead, §10.1), web, web_raw (the same of browsers) and
        traceparent (the distributed trace that it belongs to). Another name is a TypeError.
        """
        if devices is None:
            raise audience_error("devices is None")
        return self._send(app, AUDIENCES["devices"], {"devices": [device_field(device) for device in devices]}, payload,
                          push_type=push_type, priority=priority, key=key, options=options)

    def send_to(self, app: str, payload: Payload, *, groups: List[str] = _NOT_GIVEN, topic: str = _NOT_GIVEN,
                condition: str = _NOT_GIVEN, all_devices: bool = False, channel: str = _NOT_GIVEN,
                push_type: str = "alert", priority: int = 0, key: Optional[bytes] = None,
                **options: Any) -> Dict[str, Any]:
        """Sends a push to groups, a topic, a condition or a channel, or with `all_devices` to every device of the app.

        Exactly one of them must be given. None is not an audience: a value that is missing by accident, as of an
        environment variable, must not address all devices. With `bodies` the payload may be b"": devices without a
        fitting language then get no push. For the rest see `send`.
        """
        named = {name: value for name, value in (("groups", groups), ("topic", topic), ("condition", condition),
                                                 ("channel", channel)) if value is not _NOT_GIVEN}
        for name, value in named.items():
            if value is None:
                raise audience_error(f"{name} is None")
        if not isinstance(all_devices, bool):
            raise audience_error("all_devices must be True or False")
        if len(named) + all_devices != 1:
            raise audience_error("more than one audience" if named else
                                 "no audience: give groups, topic, condition or all_devices=True")
        if "topic" in named:
            named["topic"] = bare_topic(topic)
        audience = AUDIENCES[next(iter(named), "all")]
        return self._send(app, audience, {"devices": [], **named}, payload, push_type=push_type, priority=priority,
                          key=key, options=options)

    def _send(self, app: str, audience: int, named: Dict[str, Any], payload: Payload, *, push_type: str, priority: int,
              key: Optional[bytes], options: Dict[str, Any]) -> Dict[str, Any]:
        key = uuid.uuid4().bytes if key is None else key
        fields = {"app": app, "key": key, "push_type": value_of(PUSH_TYPES, push_type, "push_type"),
                  "priority": priority, "audience": audience, "payload": payload_bytes(payload), **named,
                  **send_options(**options)}
        answer = self.call("send", fields, repeatable=key != NO_KEY or "dry_run" in fields)
        return {**answer, "duplicate": bool(answer["duplicate"])}

    def message_status(self, app: str, message_id: int) -> Dict[str, Any]:
        """Returns the state of a message and the number of devices of each outcome.

        `label` is there if it has one; `sender` is absent if it is not known.
        """
        answer = self.call("message_status", {"app": app, "message_id": message_id})
        return {**answer, "state": name_of(MESSAGE_STATES, answer["state"]),
                "outcomes": {name_of(OUTCOMES, entry["outcome"]): entry["devices"] for entry in answer["outcomes"]}}

    def message_outcomes(self, app: str, message_id: int, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of recipients. `next` is the next cursor, 0 after the last page."""
        answer = self.call("message_outcomes", {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit})
        return {"next": answer["next"], "recipients": [
            {"device_id": entry["device_id"], "outcome": name_of(OUTCOMES, entry["outcome"])}
            for entry in answer["recipients"]]}

    def messages(self, app: str, before: int = 0, limit: int = 1000, *, state: Optional[str] = None,
                 sender: Optional[str] = None, label: Optional[str] = None) -> Dict[str, Any]:
        """Returns a page of the app's messages, the newest first. `next` is the next `before`, 0 at the end.

        Only messages in `state`, of `sender`, and with a label that begins with `label`. A page with filters can be
        empty although `next` is not 0. If the answer has no `details`, its rows have no `delivered`, `failed`, `label`
        and `sender`.
        """
        number = None if state is None else value_of(MESSAGE_STATES, state, "state")
        answer = self.call("messages", {"app": app, "before": before, "limit": limit, **without_none(
            {"state": number, "sender": sender, "label": label})})
        details = answer.get("details", [{}] * len(answer["messages"]))
        if len(details) != len(answer["messages"]):
            raise ProtocolError("MALFORMED", "request", "details")
        return {"next": answer["next"], "messages": [
            {**each, "state": name_of(MESSAGE_STATES, each["state"]),
             "push_type": name_of(PUSH_TYPES, each["push_type"]), "lane": name_of(LANES, each["lane"]), **more}
            for each, more in zip(answer["messages"], details)]}

    def update_message(self, app: str, message_id: int, action: str, pace: Optional[int] = None) -> str:
        """Updates a running message and returns its state afterwards.

        `action` is cancel, pause, resume or pace (at most `pace` deliveries a second; None = no bound). Like changes of
        groups and topics, this one is not repeated after effect "unknown".
        """
        fields = {"app": app, "message_id": message_id, "action": value_of(MESSAGE_UPDATE_ACTIONS, action, "action")}
        answer = self.call("update_message", {**fields, **without_none({"pace": pace})}, repeatable=False)
        return name_of(MESSAGE_STATES, answer["state"])

    def resend(self, app: str, message_id: int, outcomes: Iterable[str] = (), key: Optional[bytes] = None,
               not_after: Optional[int] = None) -> Dict[str, Any]:
        """Sends a finished message again, to its devices with these outcomes. Without `outcomes` see §10.7.

        The answer and `key` are as in `send`. Without `not_after` that of the message holds.
        """
        key = uuid.uuid4().bytes if key is None else key
        numbers = [value_of(OUTCOMES, name, "outcomes") for name in outcomes]
        fields = {"app": app, "message_id": message_id, "key": key, "outcomes": numbers}
        answer = self.call("resend", {**fields, **without_none({"not_after": not_after})}, repeatable=key != NO_KEY)
        return {**answer, "duplicate": bool(answer["duplicate"])}

    def trace(self, app: str, message_id: int, device: Any) -> Dict[str, Any]:
        """Returns why one device did or did not get one message (§10.8).

        `addressing` says whether the device is a recipient, `sources` through what it is in the audience. `language` is
        "" for the payload without a language, and None if no body fits the device. `attempts` are the remembered
        requests to APNs, the oldest first, each with the `unique_id` that APNs gave, or "". `silent_budget_left` and
        `next_attempt_at` are there only if they apply. Of a broadcast push, device id 0 stands for the channel.
        """
        answer = self.call("trace", {"app": app, "message_id": message_id, "device": device_field(device)})
        flags = answer.pop("flags")
        sources = [{**each, "kind": name_of(SOURCES, each["kind"])} for each in answer.get("sources", [])]
        unique_ids = answer.pop("unique_ids", [])
        for index, attempt in enumerate(answer.get("attempts", [])):
            attempt["unique_id"] = unique_ids[index] if index < len(unique_ids) else ""
        return {"muted_groups": [], "attempts": [], **answer, "state": name_of(MESSAGE_STATES, answer["state"]),
                "addressing": name_of(ADDRESSINGS, answer["addressing"]),
                "outcome": name_of(OUTCOMES, answer["outcome"]), "sources": sources,
                "quarantined": bool(flags & TRACE_QUARANTINED),
                "muted": bool(flags & TRACE_MUTED),
                "language": answer.get("language", "") if flags & TRACE_HAS_BODY else None}

    def receipts(self, app: str, receipts: Iterable[Tuple[int, Any, str]]) -> Dict[str, Any]:
        """Reports receipts: (message id, device, "received" or "opened") each. `counted` is the number of new ones."""
        rows = [{"message_id": message_id, "device": device_field(device), "kind": value_of(RECEIPTS, kind, "kind")}
                for message_id, device, kind in receipts]
        return self.call("receipts", {"app": app, "receipts": rows})

    def receipt_devices(self, app: str, message_id: int, kind: str, cursor: int = 0,
                        limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the ids of devices with such a receipt. `next` is the next cursor, 0 at the end."""
        return self.call("receipt_devices", {"app": app, "message_id": message_id, "cursor": cursor, "limit": limit,
                                             "kind": value_of(RECEIPTS, kind, "kind")})

    def statistics(self, limit: int = 1000) -> Dict[str, Any]:
        """Returns the state of the server (§13.1), with names for numbers. Each pool has its `answers` and
        `failures`."""
        answer = self.call("statistics", {"limit": limit})
        operations = {opcode: message for message, opcode in OPCODES.items()}
        for row in answer["requests"]:
            row["operation"] = name_of(operations, row.pop("opcode"))
            row["result"] = name_of({0: "ok", **ERRORS}, row.pop("code"))
        for row in [*answer["lanes"], *answer["sending"]]:
            row["lane"] = name_of(LANES, row["lane"])
        answer["outcomes"] = {name_of(OUTCOMES, row["outcome"]): row["devices"] for row in answer["outcomes"]}
        for pool in answer["pools"]:
            pool.update(environment=name_of(ENVIRONMENTS, pool["environment"]), parked=bool(pool["parked"]), answers=[],
                        unreachable=False, failures={"count": 0, "last_at": 0, "reason": ""})
        for row in answer.pop("answers"):
            answer["pools"][row.pop("pool")]["answers"].append(row)
        for row in answer.pop("failures", []):
            answer["pools"][row.pop("pool")].update(unreachable=bool(row.pop("unreachable")), failures=row)
        return answer

    def devices(self, app: str, cursor: int = 0, limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of all devices of an app (§13.2), each as `lookup` returns it. The role is admin.

        `next` is the cursor of the following page, 0 after the last.
        """
        answer = self.call("devices", {"app": app, "cursor": cursor, "limit": limit})
        return {**answer, "devices": [stored_device(decode_payload(FROM_SERVER["lookup"], row)[0])
                                      for row in answer["devices"]]}

    def events(self, *, name: str = "", start: int = 0, apps: Iterable[str] = (), kinds: Iterable[str] = (),
               window: int = 1000) -> EventStream:
        """Subscribes to events: after what `name` has acknowledged, after the number `start`, from OLDEST or from NOW.

        Without `apps`: of all apps that the client may observe. Without `kinds`: of every kind. At most `window` events
        wait for the caller.
        """
        fields = {"name": name, "from": start, "apps": list(apps), "credit": window,
                  "kinds": [value_of(EVENT_KINDS, kind, "kinds") for kind in kinds]}
        self._check("subscribe_events", fields)
        stream = EventStream(self.timeout, window)
        stream.begin(self._current(self.timeout), fields)
        return stream

    def create_channel(self, app: str, storage_policy: str, environment: str = "production") -> str:
        """Creates a broadcast channel (§14.1) and returns its id. It must not be repeated after a lost answer."""
        fields = {"app": app, "environment": value_of(ENVIRONMENTS, environment, "environment"),
                  "storage_policy": value_of(STORAGE_POLICIES, storage_policy, "storage_policy")}
        return self.call("create_channel", fields, repeatable=False)["channel"]

    def channel(self, app: str, channel: str, environment: str = "production") -> str:
        """Returns the storage policy of a broadcast channel (§14.2)."""
        answer = self.call("channel", {"app": app, "channel": channel,
                                       "environment": value_of(ENVIRONMENTS, environment, "environment")})
        return name_of(STORAGE_POLICIES, answer["storage_policy"])

    def channels(self, app: str, environment: str = "production", after: str = "",
                 limit: int = 1000) -> Dict[str, Any]:
        """Returns a page of the broadcast channels of an app (§14.3): `channels`, and `next`, empty after the last."""
        return self.call("channels", {"app": app, "after": after, "limit": limit,
                                      "environment": value_of(ENVIRONMENTS, environment, "environment")})

    def delete_channel(self, app: str, channel: str, environment: str = "production") -> bool:
        """Deletes a broadcast channel (§14.4); False if APNs knows no such channel."""
        return self.call("delete_channel", {
            "app": app, "channel": channel,
            "environment": value_of(ENVIRONMENTS, environment, "environment")})["result"] == 1

    def forget_subscriber(self, name: str) -> bool:
        """Removes a name of event subscriptions with what it has acknowledged; False if there was no such name."""
        return self.call("forget_subscriber", {"name": name})["result"] == 1

    def remove_node(self, node: str) -> int:
        """Ends the incarnation of a node of the cluster and returns its number. One that lives joins again."""
        return self.call("remove_node", {"node": node}, repeatable=False)["incarnation"]
