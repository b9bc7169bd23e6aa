"""Steps of an operator: read the metrics, reload the server, write the file of apps, check a configuration."""
from __future__ import annotations

import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any, Dict, Tuple

from support.deployment import Deployment
from support.environment import PROGRAMS, TIMEOUT_SECONDS, eventually

TOKEN_CREDENTIAL = {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}


def ask_metrics_port(deployment: Deployment, path: str) -> Tuple[int, str]:
    """Returns the status and the body of a GET on the metrics port."""
    port = int((deployment.folder / "metrics.port").read_text())
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metrics(deployment: Deployment) -> Dict[str, float]:
    """Returns all series by name and labels; each line must be valid for Prometheus. The server keeps an answer for
    200 ms, so that a series can show what was: `wait_metric` waits for what is."""
    series: Dict[str, float] = {}
    typed: Dict[str, str] = {}
    explained = set()
    for line in ask_metrics_port(deployment, "/metrics")[1].splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            if name in typed:
                raise AssertionError(f"{name} has two TYPE lines")
            typed[name] = kind
            if name not in explained:
                raise AssertionError(f"{name} has no HELP line")
        elif line.startswith("# HELP "):
            explained.add(line.split(" ")[2])
        elif not line.startswith("#"):
            found = re.fullmatch(r'([a-zA-Z_:][\w:]*(?:\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)', line)
            if not found:
                raise AssertionError(f"not a line of Prometheus: {line}")
            series[found[1]] = float(found[2])
    return series


def wait_metrics(deployment: Deployment, expected: Dict[str, float]) -> Dict[str, float]:
    """Waits until these series have these values, all at once, and returns all series. The error names those with other
    values."""
    found: Dict[str, float] = {}
    end = time.monotonic() + TIMEOUT_SECONDS
    while any(found.get(name) != value for name, value in expected.items()):
        if time.monotonic() > end:
            raise AssertionError("\n".join(f"{name} is {found.get(name)}, not {value:g}" for name, value
                                           in expected.items() if found.get(name) != value))
        time.sleep(0.05)  # pause: between two looks
        found = metrics(deployment)
    return found


def wait_metric(deployment: Deployment, name: str, value: float) -> None:
    """Waits until a series has the value."""
    eventually(lambda: metrics(deployment).get(name) == value, f"{name} is {value:g}", pause=0.1)


def is_draining(deployment: Deployment) -> bool:
    """True from SIGTERM to the end of the server."""
    return ask_metrics_port(deployment, "/readyz") == (503, "draining\n")


def reload(deployment: Deployment, says: str = "settings and files are read again") -> None:
    """Sends SIGHUP and waits until the log has the result."""
    before = deployment.log().count(says)
    deployment.server.send_signal(signal.SIGHUP)
    eventually(lambda: deployment.log().count(says) > before, says)


def write_apps(deployment: Deployment, credentials: Dict[str, Any], served: Dict[str, Any]) -> None:
    """Writes the file of apps."""
    deployment.write("apps.json", {"credentials": credentials, "apps": served})


def check_configuration(deployment: Deployment, *flags: str) -> Tuple[int, str]:
    """Returns the exit status and the output of `carillond check-config`."""
    done = subprocess.run([str(PROGRAMS / "carillond"), "check-config", "--config",
                           deployment.keys.path("carillon.json"),
                           *flags], capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout + done.stderr
