"""Certificates, keys and provider tokens of a test, made with the openssl command."""
from __future__ import annotations

import base64
import json
import subprocess
import time
from pathlib import Path
from typing import Optional, Tuple

# The ids of the provider key and of its team.
KEY_ID, TEAM = "KEY1234567", "TEAM123456"


class Keys:
    """Certificates and keys in a folder, made with the openssl command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority("authority")
        for name in ("apns", "server"):
            self.certificate(name, "subjectAltName=DNS:localhost,DNS:apns.test,IP:127.0.0.1")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "provider.key")
        self._openssl("pkcs8", "-topk8", "-nocrypt", "-in", "provider.key", "-out", "AuthKey.p8")
        self._openssl("pkey", "-in", "AuthKey.p8", "-pubout", "-out", "AuthKey.pub")
        (folder / "AuthKey.p8").chmod(0o600)

    def path(self, name: str) -> str:
        """Returns the path of a file in the folder."""
        return str(self.folder / name)

    def authority(self, name: str) -> None:
        """Makes NAME.key and NAME.pem, a certificate that signs others."""
        self._key(name)
        self._openssl("req", "-x509", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-days", "2",
                      "-out", f"{name}.pem")

    def certificate(self, name: str, extensions: str, authority: str = "authority",
                    days: Tuple[int, int] = (0, 2), subject: str = "") -> None:
        """Makes NAME.key, NAME.pem and NAME.both, which has both. `days` are the start and the end of the
        validity, counted from now. `subject` stands before the common name, for example `/UID=x`."""
        self._key(name)
        (self.folder / f"{name}.ext").write_text(extensions + "\n")
        self._openssl("req", "-new", "-key", f"{name}.key", "-subj", f"{subject}/CN={name}", "-out", f"{name}.csr")
        (self.folder / "index.txt").write_text("")
        (self.folder / "ca.conf").write_text("[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\n"
                                             "new_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\nUID=optional\n"
                                             "commonName=supplied\n")
        start, end = (time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + day * 86_400 - 60)) for day in days)
        self._openssl("ca", "-batch", "-notext", "-create_serial", "-config", "ca.conf", "-in", f"{name}.csr",
                      "-cert", f"{authority}.pem", "-keyfile", f"{authority}.key", "-startdate", start,
                      "-enddate", end, "-extfile", f"{name}.ext", "-out", f"{name}.pem")
        both = (self.folder / f"{name}.pem").read_text() + (self.folder / f"{name}.key").read_text()
        (self.folder / f"{name}.both").write_text(both)

    def _key(self, name: str) -> None:
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
        (self.folder / f"{name}.key").chmod(0o600)

    def _openssl(self, *arguments: str) -> None:
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"openssl {arguments[0]}: {done.stderr}")


def provider_token(key: str, issued_at: Optional[int] = None, team: str = TEAM) -> str:
    """Returns a JWT for APNs, signed with the key in a file (RFC 7515; RFC 7518 section 3.4)."""
    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    header = json.dumps({"alg": "ES256", "kid": KEY_ID}).encode()
    claims = json.dumps({"iss": team, "iat": int(time.time()) if issued_at is None else issued_at}).encode()
    signed = f"{encode(header)}.{encode(claims)}"
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed.encode(), capture_output=True,
                         check=True).stdout
    # A SEQUENCE of two INTEGERs, each shorter than 128 bytes.
    first = der[4:4 + der[3]]
    second = der[6 + der[3]:]
    raw = b"".join(part[-32:].rjust(32, b"\0") for part in (first, second))
    return f"{signed}.{encode(raw)}"
