"""A minimal client that follows `../../CONTRACT.md`: it validates the behaviour vectors.

Everything but `shell` has no sockets and no clock. It is no client for services: it has no methods for operations.
"""
