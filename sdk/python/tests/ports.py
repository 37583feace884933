"""Ports for the servers of tests."""

from __future__ import annotations

import os
import socket


def free_port() -> int:
    """Below the range of ports that outgoing connections use."""
    for port in range(21_000 + os.getpid() % 9_000, 32_000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no port is free")
