"""What can be tried of docker-compose.yml and of the manifests of Kubernetes without either: what they name exists
in the program, and the program accepts the files that they make."""
from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Tuple

import yaml

from support.cluster.cluster_files import DOCKERFILE, FOLDER, USER
from support.environment import PROGRAMS, ROOT
from support.keys import Keys

# The ports of the protocol, and of health and metrics.
PORTS = tuple(int(port) for port in re.search(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE)[1].split())


def check_config(environment: Dict[str, str], *flags: str) -> Tuple[int, str]:
    """Runs `carillond check-config` with these variables and no other of Carillon; returns its exit status and its
    words."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
    done = subprocess.run([str(PROGRAMS / "carillond"), "check-config", *flags], capture_output=True, text=True,
                          check=False, env={**clean, **environment}, timeout=30)
    return done.returncode, done.stdout + done.stderr


class ClusterManifestsTests(unittest.TestCase):
    """Files for clusters in containers."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="carillon-manifests-")
        self.addCleanup(folder.cleanup)
        self.etc = Path(folder.name)
        self.keys = Keys(self.etc)
        self.compose = yaml.safe_load((FOLDER / "docker-compose.yml").read_text())

    @property
    def flags(self) -> List[str]:
        """The folder in place of /etc/carillon and /var/lib/carillon."""
        paths = {"--config": "carillon.json", "--apps-file": "apps.json", "--principals-file": "principals.json",
                 "--data-path": "data"}
        return [word for name, file in paths.items() for word in (name, str(self.etc / file))]

    def manifests(self) -> Dict[str, List[Dict[str, Any]]]:
        """Returns the objects of Kubernetes by kind."""
        found: Dict[str, List[Dict[str, Any]]] = {}
        for each in yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()):
            found.setdefault(each["kind"], []).append(each)
        return found

    def write_files(self, objects: Dict[str, List[Dict[str, Any]]]) -> None:
        """Writes what the pod has in /etc/carillon, with keys in place of the words of the example."""
        [config], [secret] = objects["ConfigMap"], objects["Secret"]
        for name, text in config["data"].items():
            (self.etc / name).write_text(text.replace("/etc/carillon", str(self.etc)))
        made = {"tls.crt": "server.pem", "tls.key": "server.key", "AuthKey_KEY1234567.p8": "AuthKey.p8"}
        self.assertEqual(set(secret["stringData"]) - {"cluster-url"}, set(made))
        for name, source in made.items():
            (self.etc / name).write_bytes((self.etc / source).read_bytes())
            # As Kubernetes mounts it.
            (self.etc / name).chmod(0o440)

    def container(self, objects: Dict[str, List[Dict[str, Any]]]) -> Dict[str, Any]:
        """Returns the container of the pods."""
        [container] = objects["StatefulSet"][0]["spec"]["template"]["spec"]["containers"]
        return container

    def test_the_server_accepts_the_files_and_variables_of_kubernetes(self) -> None:
        objects = self.manifests()
        self.write_files(objects)
        variables = {}
        for each in self.container(objects)["env"]:
            source = each.get("valueFrom", {})
            if "fieldRef" in source:
                self.assertEqual(source["fieldRef"]["fieldPath"], "metadata.name")
                variables[each["name"]] = "carillon-0"
            elif "secretKeyRef" in source:
                variables[each["name"]] = objects["Secret"][0]["stringData"][source["secretKeyRef"]["key"]]
            else:
                variables[each["name"]] = re.sub(r"\$\((\w+)\)", lambda name: variables[name[1]], each["value"])
        self.assertEqual(variables["CARILLON_CLUSTER_ADDRESS"], "carillon-0.carillon-nodes:7474")
        code, words = check_config(variables, *self.flags)
        self.assertEqual(code, 0, words)
        # A variable or a setting that does not exist is a fault, so the test above says something.
        code, _ = check_config({**variables, "CARILLON_CLUSTER_NDOE": "a"}, *self.flags)
        self.assertNotEqual(code, 0)

    def test_ports_probes_and_the_user_are_those_of_the_image(self) -> None:
        objects = self.manifests()
        container = self.container(objects)
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        self.assertEqual(tuple(ports.values()), PORTS)
        source = (ROOT / "Sources/Server/CarillonServer/Metrics/Port/MetricsHandler.swift").read_text()
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            get = container[probe]["httpGet"]
            self.assertIn(f'"{get["path"]}"', source)
            self.assertEqual(ports[get["port"]], PORTS[1])
        pod = objects["StatefulSet"][0]["spec"]["template"]["spec"]
        self.assertEqual(pod["securityContext"]["runAsUser"], USER)
        self.assertGreaterEqual(pod["terminationGracePeriodSeconds"], 60)
        for service in objects["Service"]:
            for port in service["spec"]["ports"]:
                self.assertEqual(port["port"], ports[port["targetPort"]])

    def test_every_object_that_another_selects_or_mounts_exists(self) -> None:
        objects = self.manifests()
        [stateful] = objects["StatefulSet"]
        spec, pod = stateful["spec"], stateful["spec"]["template"]
        labels = pod["metadata"]["labels"]
        selectors = [spec["selector"]["matchLabels"],
                     objects["PodDisruptionBudget"][0]["spec"]["selector"]["matchLabels"],
                     *(service["spec"]["selector"] for service in objects["Service"])]
        self.assertEqual(selectors, [labels] * len(selectors))
        self.assertIn(spec["serviceName"], [service["metadata"]["name"] for service in objects["Service"]
                                            if service["spec"].get("clusterIP") == "None"])
        self.assertEqual(objects["PodDisruptionBudget"][0]["spec"]["maxUnavailable"], 1)
        volumes = {each["name"] for each in pod["spec"]["volumes"]}
        volumes |= {each["metadata"]["name"] for each in spec["volumeClaimTemplates"]}
        self.assertEqual({each["name"] for each in self.container(objects)["volumeMounts"]}, volumes)
        [etc] = pod["spec"]["volumes"]
        names = {"ConfigMap": objects["ConfigMap"][0]["metadata"]
            ["name"], "Secret": objects["Secret"][0]["metadata"]["name"]}
        for source in etc["projected"]["sources"]:
            kind = "ConfigMap" if "configMap" in source else "Secret"
            reference = source[kind[0].lower() + kind[1:]]
            self.assertEqual(reference["name"], names[kind])
            for item in reference.get("items", []):
                self.assertIn(item["key"], objects["Secret"][0]["stringData"])

    def compose_nodes(self) -> Dict[str, Dict[str, Any]]:
        """Returns the services of docker-compose.yml that are nodes."""
        return {name: each for name, each in self.compose["services"].items() if each["image"] == "carillon"}

    def test_each_node_of_docker_compose_has_a_valid_configuration(self) -> None:
        nodes = self.compose_nodes()
        self.assertEqual(list(nodes), ["a", "b", "c"])
        self.write_files(self.manifests())
        for name, node in nodes.items():
            variables = {key: value for key, value in node["environment"].items() if key.startswith("CARILLON_")}
            self.assertEqual(variables["CARILLON_CLUSTER_NODE"], name)
            code, words = check_config(variables, *self.flags)
            self.assertEqual(code, 0, words)
            outer, inner = zip(*(port.rsplit(":", 1) for port in node["ports"]))
            self.assertEqual(tuple(map(int, inner)), PORTS)
            self.assertEqual(variables["CARILLON_CLUSTER_ADDRESS"], f"localhost:{outer[0]}")

    def test_nodes_of_docker_compose_share_no_port_and_no_volume(self) -> None:
        nodes = self.compose_nodes().values()
        ports = [port.rsplit(":", 1)[0] for node in nodes for port in node["ports"]]
        self.assertEqual(len(ports), len(set(ports)))
        volumes = [volume.split(":")[0] for node in nodes for volume in node["volumes"]
                   if "CARILLON_ETC" not in volume]
        self.assertEqual(len(volumes), len(set(volumes)))
        # A node without a volume of its own would lose its data with its container.
        self.assertEqual(len(volumes), len(nodes))

    def test_docker_compose_declares_the_volumes_of_its_services(self) -> None:
        named = {volume.split(":")[0] for service in self.compose["services"].values()
                 for volume in service.get("volumes", []) if not volume.startswith((".", "/", "$"))}
        self.assertEqual(named, set(self.compose["volumes"]))


if __name__ == "__main__":
    unittest.main()
