"""The short way of a send, which most messages take."""
from __future__ import annotations

import itertools
import unittest
from typing import Any, Callable, List

import carillon
from carillon import CarillonError, Notification
from carillon.operations import AppOperations

from .support import APP


class SendsTests(unittest.TestCase):
    def test_the_short_way_of_a_send_does_what_its_definition_does(self) -> None:
        notification = Notification(body="Hello")
        audiences = [carillon.devices([7]), carillon.devices([7, "deadbeef" * 8]), carillon.devices((1 << 63,)),
                     carillon.groups(["a"]), carillon.topic("a"), carillon.all_devices(), None, [7]]
        payloads: List[Any] = [notification, Notification(title="T", data={"a": 1}), Notification(badge=-1), {"a": 1},
                               "{}", b"{}", 7]
        lanes: List[Any] = [{}, {"lane": "bulk"}, {"lane": carillon.Lane.INTERACTIVE}, {"lane": "fast"},
                            {"lane": None}, {"lane": []}, {"lane": "bulk", "push_type": "background"}]
        for app, audience, payload, lane in itertools.product((APP, "new.app", 7), audiences, payloads, lanes):
            def made(way: Callable[..., Any]) -> Any:
                try:
                    call = way(AppOperations(), app, audience, payload, **lane)
                    return {**call.fields, "key": None}, call.operation.name, call.size
                except CarillonError as error:
                    return error.code, error.field, error.message

            method = AppOperations.__dict__["send"]
            self.assertEqual(made(method.implementation), made(method.build), (app, audience, payload, lane))


if __name__ == "__main__":
    unittest.main()
