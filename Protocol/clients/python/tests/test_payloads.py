"""`vectors/payloads.json`: notifications and their translations."""
from __future__ import annotations

import itertools
import json
import unittest
from typing import Any, Callable, Dict, List, Optional

from carillon import CarillonError, CriticalSound, LiveActivity, Localized, Notification, Translation
from carillon.payload import payload_bytes

from .support import VECTORS

CASES = json.loads((VECTORS / "payloads.json").read_text("utf-8"))
COUNT = 95


def nested(levels: int) -> List[Any]:
    lists: List[Any] = []
    for _ in range(levels - 1):
        lists = [lists]
    return lists


SPECIAL: Dict[str, Any] = {
    "nan": float("nan"), "infinity": float("inf"), "-infinity": float("-inf"), "lone-surrogate": "\ud800",
    "lone-surrogate-name": {"\ud800": 1}, "nested-31": nested(31), "nested-32": nested(32)}


def text(value: Any) -> Any:
    return Localized(value["loc_key"], value.get("loc_args", [])) if isinstance(value, dict) else value


def notification(fields: Dict[str, Any], special: Optional[Dict[str, Any]]) -> Notification:
    """Makes a notification of the fields of a case."""
    made: Dict[str, Any] = dict(fields)
    for name in ("title", "subtitle", "body"):
        if name in fields:
            made[name] = text(fields[name])
    if isinstance(made.get("sound"), dict):
        made["sound"] = CriticalSound(**made["sound"])
    if "live_activity" in made:
        made["live_activity"] = LiveActivity(**made["live_activity"])
    if special:
        value = SPECIAL[special["value"]]
        for part in reversed(special["path"][1:]):
            inner: Any = value
            value = [inner] if part == 0 else {str(part): inner}
        data: Dict[str, Any] = {**made.get("data", {}), str(special["path"][0]): value}
        made["data"] = data
    return Notification(**made)


class PayloadsTests(unittest.TestCase):
    def test_every_vector_gives_its_bytes_or_its_fault(self) -> None:
        self.assertEqual(len(CASES), COUNT)
        for case in CASES:
            with self.subTest(case["name"]):
                made = notification(case["fields"], case.get("special"))
                if "fault" in case:
                    self.assertEqual(self.fault(lambda: self.result(case, made)), case["fault"])
                    continue
                payload, bodies = self.result(case, made)
                self.assertEqual(payload, case["payload"])
                self.assertEqual(bodies, case.get("bodies", []))

    def result(self, case: Dict[str, Any], made: Notification) -> Any:
        payload = made.payload(case["push_type"]).decode() if case.get("default", True) else None
        translations = {tag: Translation(**{name: text(value) for name, value in fields.items()})
                        for tag, fields in case.get("translations", {}).items()}
        return payload, [[tag, raw.decode()] for tag, raw in made.translated(translations, case["push_type"])]

    def fault(self, work: Callable[[], Any]) -> Optional[str]:
        with self.assertRaises(CarillonError) as caught:
            work()
        self.assertEqual((caught.exception.code, caught.exception.retry_after), ("INVALID_ARGUMENT", None))
        return caught.exception.field

    def test_texts_and_bytes_are_sent_as_they_are(self) -> None:
        self.assertEqual(payload_bytes(' {"b": 1,"a":1.0} ', "alert"), b' {"b": 1,"a":1.0} ')
        self.assertEqual(payload_bytes(b"\xff", "alert"), b"\xff")
        self.assertEqual(payload_bytes({"b": 1, "a": 1.0}, "alert"), b'{"a":1,"b":1}')

    def test_a_payload_is_made_once_and_never_after_a_change(self) -> None:
        data: Dict[str, Any] = {}
        constant = Notification(body="Hello")
        self.assertIs(constant.payload(), constant.payload("alert"))
        self.fault(lambda: constant.payload("background"))  # the rules are those of the push type each time
        self.assertEqual(constant, Notification(body="Hello"))
        changing, listed = Notification(body="Hello", data=data), Notification(url_args=["a"])
        self.assertEqual(changing.payload(), b'{"aps":{"alert":"Hello"}}')
        data["round"] = 1
        self.assertEqual(changing.payload(), b'{"aps":{"alert":"Hello"},"round":1}')
        self.assertEqual(listed.payload(), b'{"aps":{"url-args":["a"]}}')
        assert listed.url_args is not None
        listed.url_args.append("b")
        self.assertEqual(listed.payload(), b'{"aps":{"url-args":["a","b"]}}')

    def test_the_short_way_of_an_alert_writes_what_the_long_one_does(self) -> None:
        texts: List[Any] = [None, "", "Hello", 'a "b"\n\\ \x00ü\u2028', "x" * 4081, "\ud800", Localized("k"), 7]
        others: List[Dict[str, Any]] = [{}, {"badge": 0}, {"badge": -1}, {"badge": True}, {"badge": 1 << 53},
                                        {"sound": "a"}, {"sound": CriticalSound()}, {"sound": 7}, {"category": "c"},
                                        {"data": {"a": 1}}, {"launch_image": "l"}, {"badge": 5, "sound": "s"}]
        for title, body, other in itertools.product(texts, texts, others):
            made = Notification(title=title, body=body, **other)
            short = made._plain_alert_json()
            if short is not None:
                self.assertEqual(short, made._write(1, made._is_constant()), made)
        self.assertEqual(Notification(title="T", body="B", badge=5, sound="s")._plain_alert_json(),
                         b'{"aps":{"alert":{"body":"B","title":"T"},"badge":5,"sound":"s"}}')
        self.assertEqual(Notification(body="x" * 4077)._plain_alert_json(), None, "too long")

    def test_a_value_that_is_no_payload_is_refused(self) -> None:
        for value in (None, 7, ["x"], {1: 2}, {"x": object()}):
            with self.subTest(value=str(value)[:12]):
                self.fault(lambda: payload_bytes(value, "alert"))  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
