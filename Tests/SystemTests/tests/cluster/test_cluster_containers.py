"""docker-compose.yml and the manifests of Kubernetes as they stand, without Docker and Kubernetes: their commands,
variables, files, probes and names, in processes with networks and roots of their own. Needs root."""
from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import unittest
from pathlib import Path
from typing import Any, Dict, List

import yaml

from support.cluster.cluster_files import DOCKERFILE, FOLDER, USER
from support.cluster.containers import AVAILABLE, Container, Network
from support.deployment import sha256
from support.environment import ALL_ROLES, APP, PROGRAMS, eventually
from support.keys import Keys

# Variables and the health check of the image; its programs are those of the build.
IMAGE = dict(re.findall(r"(\w+)=(\S+)", re.search(r"^ENV (.*)$", DOCKERFILE, re.MULTILINE)[1]))
HEALTHCHECK: List[str] = json.loads(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
[ENTRYPOINT] = json.loads(re.search(r"^ENTRYPOINT (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
METRICS = 7475
API_KEY = "crln_" + "0a" * 32
# Docker has no probes over HTTP: those of Kubernetes hold for both.
MANIFESTS: List[Dict[str, Any]] = list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def of_kind(kind: str) -> Dict[str, Any]:
    """Returns the first manifest of a kind."""
    return next(each for each in MANIFESTS if each["kind"] == kind)


POD = of_kind("StatefulSet")["spec"]["template"]["spec"]
[CONTAINER] = POD["containers"]


def program(path: str) -> str:
    """Returns the built program in place of one of the image."""
    return str(PROGRAMS / Path(path).name)


class Database(Container):
    """PostgreSQL as its official image runs it: with one role and one database, and a password over TCP."""

    def __init__(self, network: Network, *names: str, user: str, database: str, password: str) -> None:
        self.owner = pwd.getpwnam("postgres")
        super().__init__(network, "postgresql", *names, user=self.owner.pw_uid)
        self.programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.data = network.folder / "postgresql.data"
        self.environment = {"PATH": f"{self.programs}:/usr/bin:/bin",
            "PGDATA": str(self.data), "PGHOST": str(network.folder)}
        secret = network.folder / "password"
        secret.write_text(password)
        self.data.mkdir()
        for path in (self.data, secret):
            os.chown(path, self.owner.pw_uid, self.owner.pw_gid)
        subprocess.run([self.programs / "initdb", "--username", user, "--pwfile", secret, "--auth-local", "trust",
                        "--auth-host", "scram-sha-256", "--no-sync"], check=True, capture_output=True, cwd="/",
                       user=self.owner.pw_uid, group=self.owner.pw_gid, extra_groups=[], env=self.environment)
        with open(self.data / "pg_hba.conf", "a", encoding="ascii") as rules:
            rules.write("host all all all scram-sha-256\n")
        (self.user_name, self.database) = (user, database)
        os.chown(network.folder, self.owner.pw_uid, self.owner.pw_gid)

    def begin(self, command: List[str], *further: str) -> None:
        """Runs the command, with what the image has set already, and makes the database."""
        self.start([*command, "-c", "listen_addresses=*", "-c", f"unix_socket_directories={self.network.folder}",
                    "-c", "fsync=off", *further], self.environment)
        psql = ["psql", "-U", self.user_name, "-d", "postgres", "-c"]
        eventually(lambda: self.run([*psql, "SELECT 1"], self.environment).returncode == 0, "PostgreSQL answers", 60)
        self.run([*psql, f"CREATE DATABASE {self.database}"], self.environment)


@unittest.skipUnless(AVAILABLE, "network namespaces need root and iproute2")
class ClusterContainersTests(unittest.TestCase):
    """Three nodes and PostgreSQL, each with an address of its own."""

    def setUp(self) -> None:
        self.network = Network()
        self.addCleanup(self.network.remove)
        (self.network.folder / "keys").mkdir()
        self.keys = Keys(self.network.folder / "keys")
        # The names by which a node and PostgreSQL are called.
        self.keys.certificate("server", "subjectAltName=DNS:localhost,DNS:carillon,DNS:*.carillon-nodes")
        self.keys.certificate("postgresql", "subjectAltName=DNS:postgresql.internal")

    def node(self, name: str, *names: str) -> Container:
        """Returns a container of the image, with /etc/carillon as Kubernetes mounts it."""
        container = Container(self.network, name, *names, user=USER)
        folder = container.etc / "carillon"
        folder.mkdir()
        for file, text in of_kind("ConfigMap")["data"].items():
            (folder / file).write_text(text)
        principals = json.loads((folder / "principals.json").read_text())
        principals["principals"].append(
            {"name": "test", "keySHA256": [sha256(API_KEY)], "grants": [{"app": "*", "roles": ALL_ROLES}]})
        (folder / "principals.json").write_text(json.dumps(principals))
        for file, source in {"tls.crt": "server.pem", "tls.key": "server.key",
                             "AuthKey_KEY1234567.p8": "AuthKey.p8"}.items():
            shutil.copy(self.keys.path(source), folder / file)
        for path in folder.iterdir():
            os.chown(path, 0, USER)
            path.chmod(0o440)
        trusted = container.etc / "ssl" / "certs"
        trusted.mkdir(parents=True)
        shutil.copy(self.keys.path("authority.pem"), trusted / "ca-certificates.crt")
        data = container.variable / "carillon"
        data.mkdir()
        os.chown(data, USER, USER)
        return container

    def carillon(self, node: Container, *words: str) -> Any:
        """Returns what `carillon` prints that a service runs at an address of a node, as JSON."""
        authority = str(node.etc / "ssl" / "certs" / "ca-certificates.crt")
        done = node.run([str(PROGRAMS / "carillon"), *words, "--json", "--server", "localhost:7474", "--ca", authority],
                        {"CARILLON_API_KEY": API_KEY, "PATH": IMAGE["PATH"]})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def assert_cluster_works(self, nodes: List[Container], environments: List[Dict[str, str]], database: Database,
                             grace: float) -> None:
        """Starts the nodes, and plays what an orchestrator and a service do."""
        variables = [{**IMAGE, **each} for each in environments]
        for node, each in zip(nodes, variables):
            node.start([program(ENTRYPOINT)], each)
        ready, alive = CONTAINER["readinessProbe"], CONTAINER["livenessProbe"]
        for node in nodes:
            eventually(lambda node=node: node.status(ready, METRICS) == 200 or self.fail_if_ended(node),
                       f"{node.name} is ready: {node.log()[-2000:]}", 90)
            self.assert_answers(node, CONTAINER["startupProbe"])
        for node, each in zip(nodes, variables):
            self.assert_answers(node, alive)
            check = [program(HEALTHCHECK[0]), *HEALTHCHECK[1:]]
            eventually(lambda node=node, each=each: node.run(check, each).returncode == 0, f"{node.name} is healthy")
        token = "ab" * 32
        registered = self.carillon(nodes[0], "register", "--app", APP, "--token", token, "--group", "user/ada")
        self.assertEqual(registered["device_id"], 1)
        expected = {each["CARILLON_CLUSTER_NODE"]: (each["CARILLON_CLUSTER_ADDRESS"], "live") for each in environments}
        eventually(lambda: {each["node"]: (each["address"], each["state"])
                            for each in self.status(nodes[1])} == expected,
                   f"a node shows {expected}", pause=0.2)
        # PostgreSQL away is no reason to start a node again.
        database.stop(30, signal.SIGINT)
        for node in nodes:
            eventually(lambda node=node: node.status(ready, METRICS) == 503, f"{node.name} is not ready")
            self.assert_answers(node, alive)
        database.begin(self.command, *self.further)
        for node in nodes:
            eventually(lambda node=node: node.status(ready, METRICS) == 200, f"{node.name} is ready again", 60)
        for node in nodes:
            self.assertEqual(node.stop(grace), 0, node.log()[-2000:])

    def assert_answers(self, node: Container, probe: Dict[str, Any]) -> None:
        """Asserts that a probe gets no other answer than 200. On a busy machine none may come in its time, which an
        orchestrator accepts some times."""
        status = eventually(lambda: node.status(probe, METRICS), f"{node.name} answers")
        self.assertEqual(status, 200, node.log()[-2000:])

    def status(self, node: Container) -> List[Dict[str, Any]]:
        """Returns the nodes as one shows them."""
        return self.carillon(node, "cluster", "status")["nodes"]

    def fail_if_ended(self, node: Container) -> bool:
        """False, unless the process has ended."""
        self.assertIsNone(node.process.poll(), node.log()[-2000:])
        return False

    def test_a_cluster_of_docker_compose_serves_and_pushes(self) -> None:
        compose = yaml.safe_load((FOLDER / "docker-compose.yml").read_text())["services"]
        postgresql = compose.pop("postgresql")
        variables = {name: re.sub(r"\$\{POSTGRES_PASSWORD:.*\}", "secret", value)
                     for name, value in postgresql["environment"].items()}
        (self.command, self.further) = (postgresql["command"], ())
        database = Database(self.network, user=variables["POSTGRES_USER"], database=variables["POSTGRES_DB"],
                            password=variables["POSTGRES_PASSWORD"])
        database.begin(self.command)
        check, *words = postgresql["healthcheck"]["test"]
        self.assertEqual(check, "CMD")
        self.assertEqual(database.run(words, database.environment).returncode, 0)
        nodes, environments = [], []
        for name, service in compose.items():
            nodes.append(self.node(name))
            environments.append({key: re.sub(r"\$\{POSTGRES_PASSWORD:.*\}", "secret", value)
                                 for key, value in service["environment"].items()})
            grace = float(service["stop_grace_period"].rstrip("s"))
        self.assert_cluster_works(nodes, environments, database, grace)

    def test_a_cluster_of_kubernetes_serves_and_pushes(self) -> None:
        url = of_kind("Secret")["stringData"]["cluster-url"]
        parts = dict(word.split("=", 1) for word in url.split())
        self.command = ["postgres"]
        database = Database(self.network, parts["host"], user=parts["user"], database=parts["dbname"],
                            password=parts["password"])
        for file in ("postgresql.pem", "postgresql.key"):
            os.chown(self.keys.path(file), database.owner.pw_uid, database.owner.pw_gid)
        self.further = ("-c", "ssl=on", "-c", f"ssl_cert_file={self.keys.path('postgresql.pem')}", "-c",
                        f"ssl_key_file={self.keys.path('postgresql.key')}")
        database.begin(self.command, *self.further)
        nodes, environments = [], []
        spec = of_kind("StatefulSet")["spec"]
        for number in range(spec["replicas"]):
            pod = f"{of_kind('StatefulSet')['metadata']['name']}-{number}"
            nodes.append(self.node(pod, f"{pod}.{spec['serviceName']}"))
            environment: Dict[str, str] = {}
            for each in CONTAINER["env"]:
                source = each.get("valueFrom", {})
                if "fieldRef" in source:
                    environment[each["name"]] = pod
                elif "secretKeyRef" in source:
                    environment[each["name"]] = of_kind("Secret")["stringData"][source["secretKeyRef"]["key"]]
                else:
                    environment[each["name"]] = re.sub(r"\$\((\w+)\)", lambda name: environment[name[1]], each["value"])
            environments.append(environment)
        self.assert_cluster_works(nodes, environments, database, POD["terminationGracePeriodSeconds"])


if __name__ == "__main__":
    unittest.main()
