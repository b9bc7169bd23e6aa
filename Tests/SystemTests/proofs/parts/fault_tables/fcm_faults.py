"""The faults of FCM that `Tools/prove android-faults` tries: the rows of its matrix."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from proofs.parts.fault_tables.fault import Fault, Rule, on, once
from proofs.parts.fault_tables.http2_faults import connection_faults

# After an error of FCM a message waits for 10 to 20 seconds until it is tried again.
OUTAGE = {"duration_seconds": 2, "recovery_seconds": 40}
HTML: Dict[str, Any] = {"html": True}
# For how long the server waits for an answer of FCM: the shortest time that the setting allows.
ANSWER_SECONDS = 10
# A refused access token is replaced at most every 10 s.
REFRESH_SECONDS = 12


def answers(status: int, share: float = 1, **keys: Any) -> Rule:
    """Returns an answer of FCM to a share of the messages."""
    return {"status": status, "service": "fcm", **({"probability": share} if share < 1 else {}), **keys}


def endpoint(status: int, **keys: Any) -> Rule:
    """Returns an answer of the token endpoint."""
    return {"status": status, "service": "oauth", **keys}


def refusal(error: str) -> Rule:
    """Returns a refusal of the service account."""
    return endpoint(400, message=json.dumps({"error": error, "error_description": "no"}))


def answer_faults() -> List[Fault]:
    """Answers of FCM, or of what stands in its place."""
    later = {"retry-after": 2}
    return [
        Fault("answer: 503, 1 in 5", [answers(503, 0.2)], is_short=True, **OUTAGE),
        Fault("answer: 503, all", [answers(503)], **OUTAGE),
        Fault("answer: 503, retry-after 12", [answers(503, 0.3, **{"retry-after": 12})], **OUTAGE),
        Fault("answer: 500, 1 in 5", [answers(500, 0.2)], **OUTAGE),
        Fault("answer: 500 UNSPECIFIED_ERROR", [answers(500, 0.3, code="UNSPECIFIED_ERROR")], **OUTAGE),
        Fault("answer: 502 as HTML", [answers(502, 0.3, **HTML)], is_short=True, **OUTAGE),
        Fault("answer: 404 as HTML", [answers(404, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 403 as HTML", [answers(403, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 400 as HTML", [answers(400, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 302 as HTML", [answers(302, 0.3, **HTML)], **OUTAGE),
        Fault("answer: 429 of the project", [answers(429, info="RATE_LIMIT_EXCEEDED", times=5, **later)],
              duration_seconds=1, recovery_seconds=40, is_short=True),
        Fault("answer: 429 of the project, HTML", [answers(429, times=5, **HTML, **later)], duration_seconds=1,
              recovery_seconds=40),
        Fault("answer: 429 of devices", [answers(429, code="QUOTA_EXCEEDED", times=50, **later)], duration_seconds=1,
              recovery_seconds=60),
        Fault("answer: 401 once", [answers(401, times=1)], duration_seconds=1, recovery_seconds=20, is_short=True),
        Fault("answer: bodies of one byte a frame", [answers(503, 0.3), on("split", bytes=1)], **OUTAGE),
    ]


def token_faults() -> List[Fault]:
    """The token endpoint. A token is in use when the fault begins, so most of these are met by a revoked one."""
    gone = answers(401, times=1)
    return [
        Fault("token: endpoint answers 503", [gone, endpoint(503)], duration_seconds=REFRESH_SECONDS,
              recovery_seconds=30, is_short=True),
        Fault("token: endpoint answers 500 as HTML", [gone, endpoint(500, **HTML)], duration_seconds=REFRESH_SECONDS,
              recovery_seconds=30),
        Fault("token: endpoint answers 429", [gone, endpoint(429, **{"retry-after": 1})],
              duration_seconds=REFRESH_SECONDS, recovery_seconds=30),
        Fault("token: endpoint answers nonsense", [gone, endpoint(200, message="no JSON")],
              duration_seconds=REFRESH_SECONDS, recovery_seconds=30),
        Fault("token: endpoint answers without a token", [gone, endpoint(200, message="{}")],
              duration_seconds=REFRESH_SECONDS, recovery_seconds=30),
        Fault("token: service account refused", [gone, refusal("invalid_grant")], duration_seconds=6, stops=True,
              is_short=True, alarm="FCM refuses the credential"),
        Fault("token: scope refused", [gone, refusal("invalid_scope")], duration_seconds=6, stops=True,
              alarm="FCM refuses the credential"),
        Fault("project: permission denied", [answers(403, code="", info="IAM_PERMISSION_DENIED")], duration_seconds=6,
              stops=True, alarm="FCM refuses the credential"),
        Fault("project: not found", [answers(404, code="", info="NOT_FOUND")], duration_seconds=6, stops=True,
              alarm="FCM refuses the credential"),
    ]


def faults() -> List[Fault]:
    """Returns all rows."""
    table = Fault("SETTINGS: header table 64 KiB", [once("settings", **{"header-table": 65_536})])
    return [*answer_faults(), *token_faults(), *connection_faults(reconnection_seconds=15, handshake_seconds=30), table]
