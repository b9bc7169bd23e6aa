"""Connections that never authenticate keep no client out."""
from __future__ import annotations

import os
from typing import List

from support.clients.raw_connection import RawConnection
from support.deployment import APP, Deployment, crln
from support.system_test_case import SystemTestCase, register


class HalfOpenTests(SystemTestCase):
    """A server that lets 8 connections be half-open, 4 of one address."""

    def setUp(self) -> None:
        self.server = self.deployment(simulator=None, flags=None)
        self.socket = self.server.keys.path("carillon.sock")
        self.server.start("--limits-half-open-connections", "8", "--limits-half-open-connections-per-address", "4",
                          "--listen-unix-socket", self.socket)

    def half_open(self, address: str, count: int) -> List[RawConnection]:
        """Connections from the address that have said HELLO and nothing more, the oldest first."""
        made = [self.server.raw("auth", source=address) for _ in range(count)]
        for each in made:
            self.addCleanup(each.close)
        return made

    def assert_displaced(self, raw: RawConnection, setting: str, limit: int) -> None:
        """Asserts that a connection gave its place to a newer one, and that the error names the limit."""
        fields = raw.read_frame().fields
        self.assertEqual((crln.ERRORS[fields["code"]], fields["scope"]), ("TOO_MANY_CONNECTIONS", 1))
        self.assertEqual(fields["limit"], limit)
        self.assertIn(f"{setting} is {limit}", fields["message"])
        self.assertIsNone(raw.read_frame(), "closed at once")

    def test_a_new_client_takes_the_place_of_the_oldest_half_open_connection(self) -> None:
        idle = self.half_open("127.0.0.2", 4) + self.half_open("127.0.0.3", 4)
        with self.server.client() as client:
            register(client, 1)
        self.assert_displaced(idle[0], "limits.halfOpenConnections", 8)
        with self.server.client() as client:
            register(client, 1)

    def test_an_address_with_too_many_loses_its_own_oldest(self) -> None:
        others, idle = self.half_open("127.0.0.3", 1), self.half_open("127.0.0.2", 4)
        newest, = self.half_open("127.0.0.2", 1)
        self.assert_displaced(idle[0], "limits.halfOpenConnectionsPerAddress", 4)
        for raw in (*others, newest):
            raw.send_request(2, "auth", method=1, credential=self.server.api_key.encode())
            self.assertEqual(raw.read_frame().message, "auth")

    def test_the_unix_socket_has_a_share_of_its_own(self) -> None:
        idle = self.half_open("127.0.0.2", 4) + self.half_open("127.0.0.3", 4)
        with crln.Client.connect(unix_path=self.socket, api_key=self.server.api_key) as client:
            client.register(APP, os.urandom(32))
        for raw in idle:
            raw.send_request(2, "auth", method=1, credential=self.server.api_key.encode())
            self.assertEqual(raw.read_frame().message, "auth", "no connection over TCP was closed for it")

    def test_half_open_connections_do_not_use_up_the_places_of_clients(self) -> None:
        with Deployment(simulator=None, flags=("--limits-connections", "2")) as deployment:
            with deployment.raw("open") as client, deployment.raw("auth") as idle:
                with deployment.client() as second:
                    register(second, 1)
                    self.assert_displaced(idle, "limits.connections", 2)
                    with self.assertRaises(crln.CarillonError) as refused:
                        deployment.client()
                    self.assertEqual(refused.exception.code, "TOO_MANY_CONNECTIONS")
                client.send_request(3, "lookup", app=APP, device={"id": 1})
                self.assertEqual(client.read_frame().message, "lookup")
