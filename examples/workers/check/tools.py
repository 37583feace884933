# The tools of `svc worker check`, for the worker of `examples/workers/python`.
import time
import uuid


def fail(input, idempotency_key):
    raise RuntimeError(input["message"])


def slow(input, idempotency_key):
    time.sleep(input["ms"] / 1000)
    return input


HANDLERS = {
    "check.echo": lambda input, idempotency_key: input,
    "check.call": lambda input, idempotency_key: {
        "call": str(uuid.uuid4()),
        "idempotency_key": idempotency_key,
    },
    "check.fail": fail,
    "check.slow": slow,
}
