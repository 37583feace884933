"""A worker, with nothing but Python's standard library (3.9 or newer).

SVC_URL and SVC_TOKEN say where the runtime is. SIGTERM lets it finish its current item.
"""

import json
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request

URL = os.environ.get("SVC_URL", "http://127.0.0.1:7700")
TOKEN = os.environ.get("SVC_TOKEN")
WORKER_ID = f"{socket.gethostname()}-{os.getpid()}"


def square(input, idempotency_key):
    """Returns the output of the node: an object. What it raises fails the attempt."""
    return {"square": input["value"] ** 2}


HANDLERS = {"numbers.square": square}


def post(path, body, timeout=10):
    """Status and answer; no status: there was no answer, so nothing is known.

    `retry_after` of the answer: the seconds before it makes sense to ask again.
    """
    headers = {"content-type": "application/json"}
    if TOKEN:
        headers["authorization"] = f"Bearer {TOKEN}"
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        retry_after = error.headers.get("retry-after", "")
        seconds = int(retry_after) if retry_after.isdigit() else 0
        try:
            return error.code, {**json.loads(text), "retry_after": seconds}
        except (ValueError, TypeError):
            return error.code, {"error": text, "retry_after": seconds}
    except (OSError, ValueError):
        return None, {}


def is_final(status):
    return status is not None and status not in (408, 429) and status < 500


def rest(failures, answer):
    pause = min(5, 0.25 * 2**failures) * random.uniform(0.5, 1)
    time.sleep(max(pause, answer.get("retry_after", 0)))


def post_until_answered(path, body, lost):
    """Sends the same again while nothing is known; once the lease is lost there is no need to."""
    failures = 0
    while not lost.is_set():
        status, answer = post(path, body)
        if is_final(status):
            return status, answer
        rest(failures, answer)
        failures += 1
    return 409, {}


def keep_lease(item, done, lost):
    """Heartbeats on a thread of their own, so that a long computation does not stop them."""
    interval = item.get("heartbeat_interval_ms", 10_000) / 1000
    while not done.wait(interval):
        body = {"worker_id": WORKER_ID, "lease_fence": item["lease_fence"]}
        status, _ = post(f"/work-items/{item['id']}/heartbeat", body)
        if status in (404, 409):
            lost.set()
            return


def work_on(item):
    done, lost = threading.Event(), threading.Event()
    threading.Thread(target=keep_lease, args=(item, done, lost), daemon=True).start()
    path, fence = f"/work-items/{item['id']}", item["lease_fence"]
    # Engines older than the member have none.
    key = item.get("idempotency_key")
    payload = item["payload"]
    tool = f"{payload['module']}.{payload['function']}"
    try:
        if tool not in HANDLERS:
            # A runtime that knows no "tools" hands out the items of others too.
            post_until_answered(f"{path}/release", {"lease_fence": fence}, lost)
            return
        try:
            output = HANDLERS[tool](payload["input"], key or item["id"])
        except Exception as error:
            failure = {"error": f"{type(error).__name__}: {error}", "lease_fence": fence}
            post_until_answered(f"{path}/fail", failure, lost)
            return
        body = {
            "output": output,
            "state_patch": {},
            "lease_fence": fence,
            **({} if key is None else {"idempotency_key": key}),
        }
        status, answer = post_until_answered(f"{path}/complete", body, lost)
        if status in (400, 413):
            failure = {"error": str(answer.get("error")), "lease_fence": fence}
            post_until_answered(f"{path}/fail", failure, lost)
    finally:
        done.set()


class Stop(Exception):
    """Asked to stop without a current item."""


stopping = threading.Event()
claiming = False


def stop(_signal, _frame):
    stopping.set()
    if claiming:
        raise Stop


def claim():
    global claiming
    body = {
        "worker_id": WORKER_ID,
        "queue_types": ["python_tool"],
        "tools": list(HANDLERS),
        "wait_ms": 20_000,
    }
    try:
        claiming = True
        return post("/work-items/claim", body, timeout=30)
    finally:
        claiming = False


def main():
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    failures = 0
    while not stopping.is_set():
        asked_at = time.monotonic()
        try:
            status, answer = claim()
        except Stop:
            break
        if status == 200:
            failures = 0
            if answer["claimed"]:
                work_on(answer["work_item"])
            elif time.monotonic() - asked_at < 10:
                # A runtime that knows no "wait_ms" answers at once.
                rest(1, answer)
        elif is_final(status):
            sys.exit(f"the runtime refuses: {status} {answer.get('error')}")
        else:
            rest(failures, answer)
            failures = min(failures + 1, 10)


main()
