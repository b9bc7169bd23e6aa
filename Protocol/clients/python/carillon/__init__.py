"""The client of Carillon, a self-hosted push service. It knows version 1.0 of the protocol.

`Client` waits for answers, `aio.Client` is for asyncio. `README.md` has examples.
"""
from __future__ import annotations

from . import aio, answers
from ._calls import Pending
from .audience import Audience, DeviceReference, Token, all_devices, channel, condition, devices, groups, topic
from .client import App, Batch, Client, EventStream
from .enums import (Addressing, DeleteChannelResultKind, DeviceState, Environment, EventKind, ForgetResultKind, Lane,
                    MessageState, MessageUpdateAction, MutedBy, ObstacleKind, Outcome, OverBudget, PushType,
                    ReceiptKind, RegisterResultKind, Roles, SourceKind, StoragePolicy, SwitchChanges, TokenKind,
                    TraceFlags, UnregisterResultKind)
from .errors import CarillonError
from .operations import NO_KEY, NO_LIMIT, Registration, browser_token
from .options import VERSION as __version__
from .options import CallReport, Options, RetryReport, StateReport
from .payload import CriticalSound, LiveActivity, Localized, Notification, Translation

__all__ = [
    "NO_KEY", "NO_LIMIT", "Addressing", "App", "Audience", "Batch", "CallReport", "CarillonError", "Client",
    "CriticalSound", "DeleteChannelResultKind", "DeviceReference", "DeviceState", "Environment", "EventKind",
    "EventStream", "ForgetResultKind", "Lane", "LiveActivity", "Localized", "MessageState", "MessageUpdateAction",
    "MutedBy", "Notification", "ObstacleKind", "Options", "Outcome", "OverBudget", "Pending", "PushType", "ReceiptKind",
    "RegisterResultKind", "Registration", "RetryReport", "Roles", "SourceKind", "StateReport", "StoragePolicy",
    "SwitchChanges", "Token", "TokenKind", "TraceFlags", "Translation", "UnregisterResultKind", "__version__", "aio",
    "all_devices", "answers", "browser_token", "channel", "condition", "devices", "groups", "topic"]
