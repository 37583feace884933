"""A worker in a thread of the test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from svc_sdk import Worker


@contextmanager
def running(worker: Worker) -> Iterator[None]:
    failed: list[BaseException] = []

    def run() -> None:
        try:
            worker.run()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(timeout=30)
    assert not thread.is_alive(), "the worker does not stop"
    assert not failed, failed
