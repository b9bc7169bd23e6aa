"""The cases of payloads.json: the fields of a notification, and the payload that a client makes of them."""
from typing import Any, Dict, List, Tuple

UPDATE: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "update", "content_state": {"home": 2, "away": 1}}
START: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "start", "content_state": {}, "attributes_type": "Match",
                         "attributes": {"id": "m1"}}
END: Dict[str, Any] = {"timestamp": 1_790_000_000, "event": "end"}
SCORE = '"content-state":{"away":1,"home":2}'
BEGUN = '"attributes":{"id":"m1"},"attributes-type":"Match","content-state":{},"event":"start"'
# Name, fields, JSON; then the push type if it is not alert.
COMPOSED: List[Tuple[Any, ...]] = [
    ("nothing", {}, "{}"),
    ("a body alone", {"body": "Hi"}, '{"aps":{"alert":"Hi"}}'),
    ("an empty body", {"body": ""}, '{"aps":{"alert":""}}'),
    ("a title alone", {"title": "Hi"}, '{"aps":{"alert":{"title":"Hi"}}}'),
    ("title, subtitle and body", {"title": "a", "subtitle": "b", "body": "c"},
     '{"aps":{"alert":{"body":"c","subtitle":"b","title":"a"}}}'),
    ("a body and a launch image", {"body": "c", "launch_image": "raid.png"},
     '{"aps":{"alert":{"body":"c","launch-image":"raid.png"}}}'),
    ("a launch image alone", {"launch_image": "raid.png"}, '{"aps":{"alert":{"launch-image":"raid.png"}}}'),
    ("a localised title", {"title": {"loc_key": "RAID"}}, '{"aps":{"alert":{"title-loc-key":"RAID"}}}'),
    ("a localised subtitle", {"subtitle": {"loc_key": "S", "loc_args": ["1"]}},
     '{"aps":{"alert":{"subtitle-loc-args":["1"],"subtitle-loc-key":"S"}}}'),
    ("a localised body", {"body": {"loc_key": "B", "loc_args": ["Ada", "21:00"]}},
     '{"aps":{"alert":{"loc-args":["Ada","21:00"],"loc-key":"B"}}}'),
    ("all texts localised, one plain", {"title": {"loc_key": "T", "loc_args": ["x"]}, "subtitle": "s",
                                        "body": {"loc_key": "B"}},
     '{"aps":{"alert":{"loc-key":"B","subtitle":"s","title-loc-args":["x"],"title-loc-key":"T"}}}'),
    ("a badge", {"badge": 3}, '{"aps":{"badge":3}}'),
    ("a badge of 0", {"badge": 0}, '{"aps":{"badge":0}}'),
    ("a sound", {"sound": "horn.caf"}, '{"aps":{"sound":"horn.caf"}}'),
    ("the system's sound", {"body": "Hi", "sound": "default"}, '{"aps":{"alert":"Hi","sound":"default"}}'),
    ("a critical sound", {"sound": {"name": "siren.caf", "volume": 0.8}},
     '{"aps":{"sound":{"critical":1,"name":"siren.caf","volume":0.8}}}'),
    ("a critical sound of the device's volume", {"sound": {"name": "default"}},
     '{"aps":{"sound":{"critical":1,"name":"default"}}}'),
    ("a critical sound of full volume", {"sound": {"name": "default", "volume": 1.0}},
     '{"aps":{"sound":{"critical":1,"name":"default","volume":1}}}'),
    ("a critical sound of no volume", {"sound": {"name": "default", "volume": 0}},
     '{"aps":{"sound":{"critical":1,"name":"default","volume":0}}}'),
    ("thread and category", {"thread_id": "guild/77", "category": "INVITE"},
     '{"aps":{"category":"INVITE","thread-id":"guild/77"}}'),
    ("a mutable notification", {"body": "x", "mutable_content": True}, '{"aps":{"alert":"x","mutable-content":1}}'),
    ("an alert that wakes the app too", {"body": "x", "content_available": True},
     '{"aps":{"alert":"x","content-available":1}}'),
    ("flags that are not set", {"content_available": False, "mutable_content": False, "content_changed": False}, "{}"),
    ("passive", {"interruption_level": "passive"}, '{"aps":{"interruption-level":"passive"}}'),
    ("active", {"interruption_level": "active"}, '{"aps":{"interruption-level":"active"}}'),
    ("time-sensitive", {"interruption_level": "time-sensitive"}, '{"aps":{"interruption-level":"time-sensitive"}}'),
    ("critical", {"interruption_level": "critical"}, '{"aps":{"interruption-level":"critical"}}'),
    ("relevance", {"relevance_score": 0.1}, '{"aps":{"relevance-score":0.1}}'),
    ("the least relevance", {"relevance_score": 0.0}, '{"aps":{"relevance-score":0}}'),
    ("a target window", {"target_content_id": "chat"}, '{"aps":{"target-content-id":"chat"}}'),
    ("filter criteria", {"filter_criteria": "work"}, '{"aps":{"filter-criteria":"work"}}'),
    ("arguments of a URL", {"url_args": ["boarding", "A998"]}, '{"aps":{"url-args":["boarding","A998"]}}'),
    ("no arguments of a URL", {"url_args": []}, '{"aps":{"url-args":[]}}'),
    ("data", {"data": {"type": 7, "content": "x", "showMode": None}}, '{"content":"x","showMode":null,"type":7}'),
    ("data beside an alert", {"body": "Hi", "data": {"z": True, "a": False}},
     '{"a":false,"aps":{"alert":"Hi"},"z":true}'),
    ("data within data", {"data": {"o": {"b": [], "a": {}}, "l": [1, [2, {"k": "v"}], None]}},
     '{"l":[1,[2,{"k":"v"}],null],"o":{"a":{},"b":[]}}'),
    ("the names of APNs within data", {"data": {"mdm": "x", "o": {"aps": 1}}}, '{"mdm":"x","o":{"aps":1}}'),
    ("capitals before small letters", {"data": {"b": 1, "a": 1, "B": 1, "": 1, "aa": 1, "é": 1, "10": 1, "9": 1}},
     '{"":1,"10":1,"9":1,"B":1,"a":1,"aa":1,"b":1,"é":1}'),
    # U+1F514 is written with surrogates in UTF-16, which are smaller than U+FF21.
    ("names by their UTF-16 code units", {"data": {"\uff21": 1, "🔔": 2, "漢": 3}}, '{"漢":3,"🔔":2,"\uff21":1}'),
    ("letters beyond ASCII", {"body": "Glöckchen 🔔 公會戰"}, '{"aps":{"alert":"Glöckchen 🔔 公會戰"}}'),
    ("what must be escaped", {"body": "\"\\/\b\f\n\r\t\0\x1f\x7f\u2028"},
     '{"aps":{"alert":"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028"}}'),
    ("an escaped name", {"data": {'"\n': 1}}, '{"\\"\\n":1}'),
    ("whole numbers of 64 bits", {"data": {"n": [0, -1, 2**53 + 1, 2**63 - 1, -2**63]}},
     '{"n":[0,-1,9007199254740993,9223372036854775807,-9223372036854775808]}'),
    ("whole numbers beyond 64 bits", {"data": {"n": [2**63, 10**20, 10**21]}},
     '{"n":[9223372036854776000,100000000000000000000,1e+21]}'),
    ("whole numbers with a fraction", {"data": {"n": [1.0, -0.0, 100.0, 1e15, 123456789012345680000.0]}},
     '{"n":[1,0,100,1000000000000000,123456789012345680000]}'),
    ("fractions", {"data": {"n": [0.5, -1.5, 0.1, 3.141592653589793, 0.000001, 123.456, 100.25]}},
     '{"n":[0.5,-1.5,0.1,3.141592653589793,0.000001,123.456,100.25]}'),
    ("exponents", {"data": {"n": [1e-7, 1.5e-9, 1.25e25, -1e300, 5e-324, 1.7976931348623157e308]}},
     '{"n":[1e-7,1.5e-9,1.25e+25,-1e+300,5e-324,1.7976931348623157e+308]}'),
    ("a silent push", {"content_available": True, "data": {"sync": "inventory"}},
     '{"aps":{"content-available":1},"sync":"inventory"}', "background"),
    ("a call", {"data": {"caller": "Ada"}}, '{"caller":"Ada"}', "voip"),
    ("a File Provider's change", {"data": {"domain": "d", "container-identifier": "c"}},
     '{"container-identifier":"c","domain":"d"}', "fileprovider"),
    ("a managed device", {"mdm": "magic"}, '{"mdm":"magic"}', "mdm"),
    ("widgets", {"content_changed": True}, '{"aps":{"content-changed":true}}', "widgets"),
    ("controls", {"content_changed": True}, '{"aps":{"content-changed":true}}', "controls"),
    ("an update of a Live Activity", {"live_activity": UPDATE},
     '{"aps":{%s,"event":"update","timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("an update with every field", {
        "title": {"loc_key": "GOAL", "loc_args": ["Ada"]}, "subtitle": "s", "body": {"loc_key": "B"},
        "sound": "chime.aiff", "relevance_score": 75, "live_activity": {**UPDATE, "stale_date": 1_790_000_600,
                                                                        "dismissal_date": 0}},
     '{"aps":{"alert":{"body":{"loc-key":"B"},"sound":"chime.aiff","subtitle":"s","title":{"loc-args":["Ada"],'
     '"loc-key":"GOAL"}},%s,"dismissal-date":0,"event":"update","relevance-score":75,"stale-date":1790000600,'
     '"timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("a Live Activity's body alone", {"body": "Goal!", "live_activity": UPDATE},
     '{"aps":{"alert":{"body":"Goal!"},%s,"event":"update","timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("a Live Activity's critical sound", {"body": "Goal!", "sound": {"name": "default"}, "live_activity": UPDATE},
     '{"aps":{"alert":{"body":"Goal!","sound":{"critical":1,"name":"default"}},%s,"event":"update",'
     '"timestamp":1790000000}}' % SCORE, "liveactivity"),
    ("the start of a Live Activity", {"title": "Kick-off", "live_activity": START},
     '{"aps":{"alert":{"title":"Kick-off"},%s,"timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("a start with updates by a channel", {"title": "t", "live_activity": {**START, "input_push_channel": "dHN0"}},
     '{"aps":{"alert":{"title":"t"},%s,"input-push-channel":"dHN0","timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("a start with updates by a token", {"title": "t", "live_activity": {**START, "input_push_token": True}},
     '{"aps":{"alert":{"title":"t"},%s,"input-push-token":1,"timestamp":1790000000}}' % BEGUN, "liveactivity"),
    ("the end of a Live Activity", {"live_activity": END}, '{"aps":{"event":"end","timestamp":1790000000}}',
     "liveactivity"),
    ("the end with a last state", {"live_activity": {**END, "content_state": {"over": True},
                                                     "dismissal_date": 1_790_000_060}},
     '{"aps":{"content-state":{"over":true},"dismissal-date":1790000060,"event":"end","timestamp":1790000000}}',
     "liveactivity"),
    ("everything of an alert", {
        "title": "t", "subtitle": "s", "body": "b", "launch_image": "l", "badge": 1, "sound": "n", "thread_id": "th",
        "category": "c", "content_available": True, "mutable_content": True, "interruption_level": "active",
        "relevance_score": 1, "target_content_id": "w", "filter_criteria": "f", "content_changed": True,
        "url_args": ["u"], "mdm": "m", "data": {"d": 1}},
     '{"aps":{"alert":{"body":"b","launch-image":"l","subtitle":"s","title":"t"},"badge":1,"category":"c",'
     '"content-available":1,"content-changed":true,"filter-criteria":"f","interruption-level":"active",'
     '"mutable-content":1,"relevance-score":1,"sound":"n","target-content-id":"w","thread-id":"th","url-args":["u"]},'
     '"d":1,"mdm":"m"}'),
]
# Name, fields, the field at fault; then the push type if it is not alert.
REFUSED: List[Tuple[Any, ...]] = [
    ("data named aps", {"data": {"aps": {}}}, "data.aps"),
    ("data named mdm beside mdm", {"mdm": "m", "data": {"mdm": "n"}}, "data.mdm"),
    ("a negative badge", {"badge": -1}, "payload.aps.badge"),
    ("a volume above 1", {"sound": {"name": "a", "volume": 1.5}}, "payload.aps.sound.volume"),
    ("a relevance above 1", {"relevance_score": 2}, "payload.aps.relevance-score"),
    ("a silent push that does not wake the app", {"data": {"x": 1}}, "payload.aps.content-available", "background"),
    ("a silent push with a body", {"body": "x", "content_available": True}, "payload.aps.alert", "background"),
    ("a body for a File Provider", {"body": "x"}, "payload.aps", "fileprovider"),
    ("a managed device without its magic", {}, "payload.mdm", "mdm"),
    ("widgets without a change", {"body": "x"}, "payload.aps.content-changed", "widgets"),
    ("a Live Activity that says nothing", {"body": "x"}, "payload.aps.timestamp", "liveactivity"),
    ("an update without a state", {"live_activity": {"timestamp": 1, "event": "update"}}, "payload.aps.content-state",
     "liveactivity"),
    ("a start without an alert", {"live_activity": START}, "payload.aps.alert", "liveactivity"),
    ("a Live Activity's sound without an alert", {"sound": "a", "live_activity": UPDATE}, "payload.aps.sound",
     "liveactivity"),
    ("a Live Activity's launch image", {"body": "b", "launch_image": "a", "live_activity": UPDATE},
     "payload.aps.alert.launch-image", "liveactivity"),
    ("a body too long", {"body": "x" * 4_080}, "payload"),
]
# Name, the path in `data`, the value there that JSON cannot contain, and the field at fault, or the payload.
SPECIAL: List[Tuple[str, List[Any], str, str]] = [
    ("a number that is none", ["x"], "nan", "payload.x"),
    ("a number without end", ["x", "y"], "infinity", "payload.x.y"),
    ("a negative number without end in a list", ["x", "y", 0], "-infinity", "payload.x.y"),
    ("a lone surrogate", ["x"], "lone-surrogate", "payload.x"),
    ("a lone surrogate in a list of an object", ["x", 0, "y"], "lone-surrogate", "payload.x.y"),
    ("a name with a lone surrogate", ["x"], "lone-surrogate-name", "payload.x"),
    ("31 levels of lists", ["x"], "nested-31", '{"x":' + "[" * 31 + "]" * 31 + "}"),
    ("32 levels of lists", ["x"], "nested-32", "payload.x"),
    ("32 levels, of which one is an object", ["x", "y"], "nested-31", "payload.x.y"),
]
RAID = {"title": "Raid", "body": "at nine", "badge": 1, "data": {"raid": 77}}
# Name, fields, translations, default payload, bodies.
TRANSLATED: List[Tuple[Any, ...]] = [
    ("two languages and a default", RAID, {
        "zh-Hant": {"title": "公會戰", "body": "今晚九點"}, "de": {"title": "Überfall", "body": "um neun"}},
     '{"aps":{"alert":{"body":"at nine","title":"Raid"},"badge":1},"raid":77}',
     [("de", '{"aps":{"alert":{"body":"um neun","title":"Überfall"},"badge":1},"raid":77}'),
      ("zh-Hant", '{"aps":{"alert":{"body":"今晚九點","title":"公會戰"},"badge":1},"raid":77}')]),
    ("what a translation leaves out", RAID, {"de": {"body": "um neun"}},
     '{"aps":{"alert":{"body":"at nine","title":"Raid"},"badge":1},"raid":77}',
     [("de", '{"aps":{"alert":{"body":"um neun","title":"Raid"},"badge":1},"raid":77}')]),
    ("languages without a default", {"badge": 1}, {"en": {"body": "Hi"}, "DE": {"body": "Hallo"}, "fr": {"title": "S"}},
     None,
     [("DE", '{"aps":{"alert":"Hallo","badge":1}}'), ("en", '{"aps":{"alert":"Hi","badge":1}}'),
      ("fr", '{"aps":{"alert":{"title":"S"},"badge":1}}')]),
    ("no languages", {"body": "Hi"}, {}, '{"aps":{"alert":"Hi"}}', []),
]
# Name, fields, translations, the field at fault.
UNTRANSLATABLE: List[Tuple[Any, ...]] = [
    ("a language that is none", RAID, {"de_AT": {"body": "x"}}, "bodies.de_AT"),
    ("a language twice", RAID, {"de": {"body": "x"}, "DE": {"body": "y"}}, "bodies.de"),
    ("a translation too long", RAID, {"de": {"body": "x"}, "fr": {"body": "x" * 4_080}}, "bodies.fr"),
]


def payload_rows() -> List[Dict[str, Any]]:
    """Returns the rows of payloads.json."""
    rows: List[Dict[str, Any]] = []
    for result, table in (("payload", COMPOSED), ("fault", REFUSED)):
        for name, fields, expected, *push_type in table:
            rows.append({"name": name, "push_type": (push_type or ["alert"])[0], "fields": fields, result: expected})
    for name, path, value, expected in SPECIAL:
        rows.append({"name": name, "push_type": "alert", "fields": {}, "special": {"path": path, "value": value},
                     "payload" if expected.startswith("{") else "fault": expected})
    for name, fields, translations, payload, bodies in TRANSLATED:
        rows.append({"name": name, "push_type": "alert", "fields": fields, "translations": translations,
                     "default": payload is not None, "payload": payload, "bodies": bodies})
    for name, fields, translations, fault in UNTRANSLATABLE:
        rows.append({"name": name, "push_type": "alert", "fields": fields, "translations": translations,
                     "default": True, "fault": fault})
    return rows
