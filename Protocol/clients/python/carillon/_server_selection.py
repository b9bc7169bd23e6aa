"""The addresses of a client: which one is tried next, and when (CONTRACT.md, ADR, CRED). No sockets, no clock."""
from __future__ import annotations

import random
from typing import List, Optional

from ._values import seconds
from .errors import NOT_EXECUTED, CarillonError, cannot_connect
from .options import Address, Options


class Target:
    """One address and what is known of it."""

    def __init__(self, index: int, address: Address) -> None:
        self.index, self.address = index, address
        self.not_before = 0.0
        self.refusal: Optional[CarillonError] = None
        self.refused_until = 0.0
        self.refused_key: Optional[bytes] = None


class ServerSelection:
    """Rounds over the addresses, the pauses between them, and refusals."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.backoff = seconds(options.backoff, "backoff")
        self.maximum_backoff = seconds(options.maximum_backoff, "maximum_backoff")
        listed = options.parsed_addresses
        if options.address_order == "shuffled":
            random.SystemRandom().shuffle(listed)
        self.targets = [Target(index, address) for index, address in enumerate(listed)]
        self.last_connected = -1
        self.untried: List[Target] = []
        self.failed_rounds = 0
        self.pause_until = 0.0
        self.causes: List[str] = []
        self.last_error: Optional[CarillonError] = None
        self.first_refusal: Optional[CarillonError] = None

    def random_pause(self, count: int) -> float:
        """Returns the random part of the pause before attempt `count` + 1: it spreads clients that were refused at the
        same moment (CONTRACT.md, RET-5)."""
        whole = min(self.maximum_backoff, self.backoff * 2 ** min(count - 1, 60))
        return random.uniform(whole / 2, whole)

    def next(self, now: float) -> Optional[Target]:
        """Returns the address to try now; None if the time of none has come (ADR-4)."""
        if now < self.pause_until:
            return None
        self.untried = [each for each in self.untried if self._is_available(each, now)]
        if not self.untried:
            start = self.last_connected + 1
            order = self.targets[start:] + self.targets[:start]
            self.untried = [each for each in order if self._is_available(each, now)]
        return self.untried.pop(0) if self.untried else None

    def _is_available(self, target: Target, now: float) -> bool:
        return target.refusal is None and target.not_before <= now

    def next_time(self, now: float) -> float:
        """Returns when an address can be tried whose time has not come."""
        if now < self.pause_until:
            return self.pause_until
        return min([each.not_before for each in self.targets if each.refusal is None and each.not_before > now],
                   default=float("inf"))

    # What became of attempts

    def connected(self, target: Target) -> None:
        """Remembers the address whose connection is open: the next round begins behind it."""
        self.last_connected = target.index

    def worked(self) -> None:
        """Records that a connection has worked: the count of failed rounds begins anew. A connection that has only
        opened does not count: a server that accepts and closes would be asked in a loop (CON-15)."""
        self.untried, self.failed_rounds, self.causes, self.last_error = [], 0, [], None
        self.first_refusal = None

    def failed(self, target: Target, error: CarillonError, now: float) -> bool:
        """Records a failed attempt. Returns true if it was the last of its round; then `round_error` says why."""
        if not self.untried:
            self.failed_rounds += 1
            self.pause_until = now + self.random_pause(self.failed_rounds)
        self.causes.append(f"{target.address.text}: {error.code}" + (f": {error.message}" if error.message else ""))
        del self.causes[:-len(self.targets)]
        self.last_error = error
        return not self.untried

    def round_error(self) -> CarillonError:
        """Returns why the last round has failed: the first refusal, else CANNOT_CONNECT with the causes (ADR-8)."""
        return self.first_refusal or self.error()

    def error(self) -> CarillonError:
        """Returns CANNOT_CONNECT with the causes of the latest attempts."""
        message = self.last_error.message if self.last_error else "no connection was opened in time"
        error = cannot_connect(message, self.causes)
        error.__cause__ = self.last_error
        return error

    # Refusals

    def rule_out(self, target: Target, until: float) -> None:
        """Leaves an address alone until this time, which its server has asked for in a GOAWAY (GO-2) or an error
        (ADR-6)."""
        target.not_before = max(target.not_before, until)

    def refuse(self, target: Target, error: CarillonError, key: Optional[bytes], now: float) -> CarillonError:
        """Leaves an address alone for `refusal_pause`: the same key would be refused again (CRED-3). Returns what calls
        get if all are refused."""
        target.refusal, target.refused_key = error.copied(NOT_EXECUTED), key
        target.refused_until = now + seconds(self.options.refusal_pause, "refusal_pause")
        self.first_refusal = self.first_refusal or target.refusal
        return target.refusal

    def all_refused(self, now: float) -> Optional[CarillonError]:
        """Returns the first of the refusals if all addresses are refused; None if one may be tried (CRED-4)."""
        for target in self.targets:
            if target.refusal is not None and (now >= target.refused_until or self._has_new_key(target)):
                if target.refusal is self.first_refusal:
                    self.first_refusal = None
                target.refusal = None
        refused = [each for each in self.targets if each.refusal is not None]
        if len(refused) < len(self.targets):
            return None
        return min(refused, key=lambda each: each.refused_until).refusal

    def _has_new_key(self, target: Target) -> bool:
        if target.refusal is None or target.refusal.code != "AUTHENTICATION_FAILED":
            return False
        if self.options.api_key_file is None and not callable(self.options.api_key):
            return False
        try:
            return self.options.read_key() != target.refused_key
        except Exception:  # the key cannot be read: it is no new one
            return False
