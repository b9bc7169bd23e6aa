"""The files for clusters in containers: docker-compose.yml, the manifests of Kubernetes, and the image of both."""
from __future__ import annotations

import re

from support.environment import ROOT

FOLDER = ROOT / "Tools" / "packaging" / "cluster"
DOCKERFILE = (ROOT / "Tools" / "packaging" / "Dockerfile").read_text()
# The user of the image.
USER = int(re.search(r"^USER (\d+):", DOCKERFILE, re.MULTILINE)[1])
