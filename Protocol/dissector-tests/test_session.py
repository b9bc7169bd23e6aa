"""A session, captured in several ways: each way must look the same."""
from __future__ import annotations

import ssl
import tempfile
import unittest
from pathlib import Path

import tshark
from captures import Capture, capture_session
from frames import SESSION
from session_expectations import SessionExpectations


class SessionDissectionTests(SessionExpectations, unittest.TestCase):
    """The session in packets of all sizes, read in one pass and in two."""

    @classmethod
    def setUpClass(cls) -> None:
        captures = {
            "one frame a packet": capture_session(),
            "several frames a packet": capture_session(is_joined=True),
            "small segments": capture_session(11),
            "frames across segments": capture_session(37, is_joined=True),
            "single bytes": capture_session(1, is_joined=True),
        }
        cls.dissections = {}
        for name, capture in captures.items():
            cls.dissections[name] = tshark.merged(tshark.dissect(capture))
            cls.dissections[name + ", two passes"] = tshark.merged(tshark.dissect(capture, "-2"))


class OtherPortDissectionTests(SessionExpectations, unittest.TestCase):
    """The session on a port that the dissector does not know, or knows from the preferences."""

    @classmethod
    def setUpClass(cls) -> None:
        capture = capture_session(port=9999)
        cls.dissections = {
            "recognised by the magic": tshark.merged(tshark.dissect(capture)),
            "port of the preferences": tshark.merged(tshark.dissect(capture, "-o", "carillon.port:9999")),
        }


class TLSDissectionTests(SessionExpectations, unittest.TestCase):
    """The session inside TLS 1.2 without certificates: decrypted with the key log, found by ALPN alone."""

    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            key_log = Path(folder) / "keys.log"
            capture = capture_tls_session(key_log)
            cls.dissections = {
                "with keys": tshark.merged(tshark.dissect(capture, "-o", f"tls.keylog_file:{key_log}"))}
        cls.packets_without_keys = tshark.dissect(capture)

    def test_tls_on_the_port_is_left_alone_without_keys(self) -> None:
        self.assertEqual(self.packets_without_keys, [])


def tls_context(protocol: int) -> ssl.SSLContext:
    """Returns TLS that needs no certificate."""
    context = ssl.SSLContext(protocol)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AECDH-AES128-SHA:@SECLEVEL=0")
    context.set_alpn_protocols(["carillon/1"])
    return context


def capture_tls_session(key_log: Path) -> Capture:
    """Returns the session inside TLS, and writes the keys of the connection."""
    contexts = {"client": tls_context(ssl.PROTOCOL_TLS_CLIENT), "server": tls_context(ssl.PROTOCOL_TLS_SERVER)}
    contexts["client"].keylog_filename = str(key_log)
    received = {name: ssl.MemoryBIO() for name in contexts}
    to_send = {name: ssl.MemoryBIO() for name in contexts}
    ends = {name: context.wrap_bio(received[name], to_send[name], server_side=name == "server")
            for name, context in contexts.items()}
    capture = Capture()
    connection = capture.connect()

    def carry(sender: str) -> None:
        data = to_send[sender].read()
        if data:
            connection.send(sender, data, segment_bytes=500)
            received["server" if sender == "client" else "client"].write(data)

    for name in ["client", "server"] * 6:
        try:
            ends[name].do_handshake()
        except ssl.SSLWantReadError:
            pass
        carry(name)
    for sender, data in SESSION:
        for start in range(0, len(data), 50):
            ends[sender].write(data[start:start + 50])
        carry(sender)
    return capture


if __name__ == "__main__":
    unittest.main()
