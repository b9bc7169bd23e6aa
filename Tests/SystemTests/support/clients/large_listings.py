"""Listings whose answers are large: 1,000 groups with long names, 200 KB a page."""
from __future__ import annotations



from support.deployment import Deployment
from support.environment import APP, crln

GROUPS = 1_000


def many_groups(deployment: Deployment) -> None:
    """Creates 1,000 groups with long names, so that a page of them is large."""
    with deployment.client() as client:
        for number in range(GROUPS):
            client.update_group(APP, f"{number:04}/" + "x" * 195, muted=True)


def listings(count: int) -> bytes:
    """`count` GROUPS requests, each for a full page."""
    return b"".join(crln.encode("client", "groups", {"app": APP, "prefix": "", "after": "", "limit": 1_000},
                                3 + index)
                    for index in range(count))
