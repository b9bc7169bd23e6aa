"""The values and fields that the cases share."""
from typing import Any, Dict, List, Tuple

import crln

APP = "com.example.game"
TOKEN = bytes(range(1, 33))
OTHER = bytes(range(101, 133))
UUID = bytes.fromhex("00112233445566778899aabbccddeeff")
SEEN = 1_790_000_000_000
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
MAX64, MAX32 = 2**64 - 1, 2**32 - 1
ALERT = b'{"aps":{"alert":"Hi"}}'
# Tokens of the kinds that are not APNs', and a token of each kind.
FCM = b"cNab-_1234567890abcdef:APA91bHun4Mxp_zP.%~"
FID = b"cNabcdefghijklmnopqr-_"
DIGEST = bytes(range(32))
# The key and the secret of RFC 8291, appendix A.
BROWSER_KEY = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
BROWSER_SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
TOKENS = {"fcm": FCM, "fid": FID, "web": DIGEST}
BY_TOKEN = {"token": {"environment": 1, "kind": 1, "token": TOKEN}}
BY_ID = {"id": 42}
Case = Dict[str, Any]


def hello_fields(**changes: Any) -> Dict[str, Any]:
    return {"software": "carillon/1.0", "epoch": UUID, "clock": SEEN, "frame_limit": 1048576, "in_flight_limit": 1024,
            "batch_limit": 1000, "keepalive_ms": 30000, "ping_interval_ms": 10000, "idempotency_window_s": 86400,
            "authenticated": 0, "opcodes": [
                {"opcode": code, "lowest": 1, "highest": 1} for code in sorted(crln.OPCODES.values())], **changes}


def browser_subscription(endpoint: str = "https://push.example.com/p/1", key: str = BROWSER_KEY,
                         secret: str = BROWSER_SECRET) -> bytes:
    """A push subscription in the form in which clients of this project write it."""
    text = '{"endpoint":"%s","keys":{"auth":"%s","p256dh":"%s"}}' % (endpoint, secret, key)
    return text.encode()


BROWSER_SUBSCRIPTION = browser_subscription()


def register_fields(**changes: Any) -> Dict[str, Any]:
    return {"app": APP, "environment": 1, "kind": 1, "token": TOKEN, "seen_at": SEEN, **changes}


def send_fields(**changes: Any) -> Dict[str, Any]:
    return {"app": APP, "key": UUID, "push_type": 1, "priority": 0, "audience": 1, "devices": [BY_TOKEN],
            "payload": ALERT, **changes}


def lookup_fields(**changes: Any) -> Dict[str, Any]:
    return {"device_id": 42, "environment": 1, "kind": 1, "token": TOKEN, "registered_at": SEEN + 5, "seen_at": SEEN,
            "state": 1, **changes}


def error_fields(code: int, *, scope: int = 0, effect: int = 0, retry: int = MAX32, message: str = "",
                 **tags: Any) -> Dict[str, Any]:
    return {"code": code, "scope": scope, "effect": effect, "retry_after_ms": retry, "message": message, **tags}


LONG_NAME = "g" * 200
NAME_ALPHABET = "Az09-_.~%/:@+"
ATTRIBUTES = [{"key": "Tier_1.x-y", "value": NAME_ALPHABET}, {"key": "platform", "value": "ios"}]
MANY_ATTRIBUTES = [{"key": f"k{index:02}", "value": "v"} for index in range(16)]
BODIES = [{"language": "zh", "payload": '{"aps":{"alert":"你好"}}'.encode()},
          {"language": "de-AT", "payload": b'{"aps":{"alert":"Servus"}}'}]


def trace_fields(**changes: Any) -> Dict[str, Any]:
    return {"device_id": 42, "state": 3, "addressing": 1, "outcome": 1, "flags": 4, **changes}


def source(kind: int, name: str = "", through: str = "") -> Dict[str, Any]:
    return {"kind": kind, "name": name, "through": through}


def attempt(at: int, *, connection: int, status: int, reason: str = "") -> Dict[str, Any]:
    return {"at": at, "connection": connection, "status": status, "reason": reason}


def subscribe_fields(**changes: Any) -> Dict[str, Any]:
    return {"name": "ops", "from": 0, "apps": [APP], "kinds": [1, 2], "credit": 100, **changes}


CHANNEL = "dHN0LXNyY2gtY2hubA=="
BROADCAST = b'{"aps":{"timestamp":1790000000,"event":"update","content-state":{"home":1}}}'
BROADCAST_END = b'{"aps":{"timestamp":1790000000,"event":"end","dismissal-date":1790000000}}'
BROADCAST_START = (b'{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"Match",'
                   b'"attributes":{},"alert":{"title":"a"}}}')


def receipt(message_id: int = 7, device: Any = None, kind: int = 1) -> Dict[str, Any]:
    return {"message_id": message_id, "device": device or BY_ID, "kind": kind}


def statistics_fields(**changes: Any) -> Dict[str, Any]:
    return {"at": SEEN, "started_at": SEEN - 5000, "software": "carillon/1.0", "clients": 3, "half_open": 1,
            "requests": [], "queued_changes": 0, "batches": 0, "changes": 0, "batch_micros": 0, "latest_batches": [],
            "lanes": [], "unrecorded": 0, "sending": [], "outcomes": [], "pools": [], "answers": [], **changes}


def lane_fields(lane: int, *, messages: int = 0, waiting: int = 0, delayed: int = 0, in_flight: int = 0
                ) -> Dict[str, Any]:
    return {"lane": lane, "messages": messages, "waiting": waiting, "delayed": delayed, "in_flight": in_flight}


def pool_fields(credential: str, *, environment: int = 1, **changes: Any) -> Dict[str, Any]:
    return {"credential": credential, "environment": environment, "parked": 0, "opening": 0, "open": 0, "draining": 0,
            "in_flight": 0, "streams": 0, "throttle": 0, "attempts": 0, **changes}


CONDITION = "'level5' in topics && ('en' in topics || 'zh' in topics)"
LIVE_START = (b'{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"T","attributes":{},'
              b'"alert":{"title":"t"}}}')
LIVE_UPDATE = b'{"aps":{"timestamp":1,"event":"update","content-state":{},%s}}'
NESTED = b'{"a":' * 31 + b"[]" + b"}" * 31
SOUND_PAYLOADS: List[Tuple[str, int, int, bytes]] = [
    ("an empty object", 1, 0, b"{}"),
    ("white space around", 1, 0, b' \t\r\n{ "aps" : { } } '),
    ("escapes", 1, 0, b'{"a":"\\ud83d\\ude00\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t"}'),
    ("UTF-8", 1, 0, '{"aps":{"alert":"Glöckchen 🔔"}}'.encode()),
    ("numbers", 1, 0, b'{"n":[0,-0,1.5,-2e10,1E-3,123456789012345678901234567890]}'),
    ("literals", 1, 0, b'{"l":[true,false,null]}'),
    ("the same name in two objects", 1, 0, b'{"a":{"b":1},"c":{"b":2},"b":3}'),
    ("brackets in a string", 1, 0, b'{"a":"' + b"[{" * 40 + b'"}'),
    ("a depth of 32", 1, 0, NESTED),
    ("4,096 bytes", 1, 0, b'{"a":"' + b"x" * 4088 + b'"}'),
    ("background", 2, 0, b'{"aps":{"content-available":1}}'),
    ("background of priority 1", 2, 1, b'{"aps":{"content-available":1},"alert":"of the app"}'),
    ("location", 3, 10, b"{}"),
    ("voip", 4, 10, b'{"call":"x"}'),
    ("voip of 5,120 bytes", 4, 0, b'{"a":"' + b"x" * 5112 + b'"}'),
    ("complication", 5, 1, b"{}"),
    ("fileprovider", 6, 5, b'{"container-identifier":"c","domain":"d"}'),
    ("mdm", 7, 0, b'{"mdm":"magic"}'),
    ("liveactivity start", 8, 10, LIVE_START),
    ("liveactivity update", 8, 5, b'{"aps":{"timestamp":1.5,"event":"update","content-state":{"a":1}}}'),
    ("liveactivity end", 8, 0, b'{"aps":{"timestamp":1,"event":"end"}}'),
    ("pushtotalk", 9, 10, b"{}"),
    ("widgets", 10, 0, b'{"aps":{"content-changed":true}}'),
    ("controls", 11, 1, b'{"aps":{"content-changed":true}}'),
    ("every key of aps", 1, 0, b'{"aps":{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"i"},"badge":0,'
     b'"sound":"default","thread-id":"x","category":"c","content-available":1,"mutable-content":1,'
     b'"target-content-id":"w","interruption-level":"time-sensitive","relevance-score":0.5,"filter-criteria":"f",'
     b'"content-changed":true,"url-args":["a","b"]}}'),
    ("every key of localisation", 1, 0, b'{"aps":{"alert":{"title-loc-key":"T","title-loc-args":["1"],'
     b'"subtitle-loc-key":"S","subtitle-loc-args":[],"loc-key":"B","loc-args":["1","2"]}}}'),
    ("keys of localisation that are null", 1, 0, b'{"aps":{"alert":{"body":"b","title-loc-key":null,"title-loc-args":'
     b'null,"subtitle-loc-key":null,"subtitle-loc-args":null,"loc-key":null,"loc-args":null}}}'),
    ("keys that are not known", 1, 0, b'{"aps":{"alert":{"new":1},"sound":{"new":[]},"newer":null}}'),
    ("an empty alert", 1, 0, b'{"aps":{"alert":{}}}'),
    ("a badge of a whole number with a fraction", 1, 0, b'{"aps":{"badge":3.0}}'),
    ("a critical sound", 1, 0, b'{"aps":{"sound":{"critical":1,"name":"a.caf","volume":0.25}}}'),
    ("a critical sound of full volume", 1, 0, b'{"aps":{"sound":{"critical":1,"name":"a.caf","volume":1}}}'),
    ("a sound that is not critical", 1, 0, b'{"aps":{"sound":{"critical":0,"volume":0}}}'),
    ("flags of 0", 1, 0, b'{"aps":{"content-available":0,"mutable-content":0}}'),
    ("interruption-level passive", 1, 0, b'{"aps":{"interruption-level":"passive","relevance-score":0}}'),
    ("interruption-level active", 1, 0, b'{"aps":{"interruption-level":"active","relevance-score":1}}'),
    ("interruption-level critical", 1, 0, b'{"aps":{"interruption-level":"critical"}}'),
    ("keys of Live Activities in an alert", 1, 0, b'{"aps":{"event":7,"timestamp":"x","attributes":null}}'),
    ("known names outside of aps", 1, 0, b'{"badge":"x","sound":[],"alert":null}'),
    ("liveactivity start by a channel", 8, 0, LIVE_START[:-2] + b',"input-push-channel":"dHN0"}}'),
    ("liveactivity start by a token", 8, 0, LIVE_START[:-2] + b',"input-push-token":1}}'),
    ("liveactivity start with an alert that is a string", 8, 0, LIVE_START.replace(b'{"title":"t"}', b'"t"')),
    ("liveactivity with every key", 8, 0, LIVE_UPDATE % (
        b'"stale-date":2,"dismissal-date":0,"relevance-score":100,"alert":{"title":{"loc-key":"K","loc-args":["a"]},'
        b'"body":{"loc-key":"L"},"sound":"chime.aiff"}')),
    ("liveactivity of negative relevance", 8, 0, LIVE_UPDATE % b'"relevance-score":-1.5'),
]
