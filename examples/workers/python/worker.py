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
    """Status and answer; no status: there was no answer, so nothing is known."""
    headers = {"content-type": "application/json"}
    if TOKEN:
        headers["authorization"] = f"Bearer {TOKEN}"
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        try:
            return error.code, json.loads(text)
        except ValueError:
            return error.code, {"error": text}
    except (OSError, ValueError):
        return None, {}


def is_final(status):
    return status is not None and status not in (408, 429) and status < 500


def rest(failures):
    time.sleep(min(5, 0.25 * 2**failures) * random.uniform(0.5, 1))


def post_until_answered(path, body, lost):
    """Sends the same again while nothing is known; once the lease is lost there is no need to."""
    failures = 0
    while not lost.is_set():
        status, answer = post(path, body)
        if is_final(status):
            return status, answer
        rest(failures)
        failures += 1
    return 409, {}


def keep_lease(item, done, lost):
    """Heartbeats on a thread of their own, so that a long computation does not stop them."""
    while not done.wait(item["heartbeat_interval_ms"] / 1000):
        body = {"worker_id": WORKER_ID, "lease_fence": item["lease_fence"]}
        status, _ = post(f"/work-items/{item['id']}/heartbeat", body)
        if status in (404, 409):
            lost.set()
            return


def work_on(item):
    done, lost = threading.Event(), threading.Event()
    threading.Thread(target=keep_lease, args=(item, done, lost), daemon=True).start()
    path, fence = f"/work-items/{item['id']}", item["lease_fence"]
    payload = item["payload"]
    tool = f"{payload['module']}.{payload['function']}"
    try:
        if tool not in HANDLERS:
            # A runtime that knows no "tools" hands out the items of others too.
            post_until_answered(f"{path}/release", {"lease_fence": fence}, lost)
            return
        try:
            output = HANDLERS[tool](payload["input"], item["idempotency_key"])
        except Exception as error:
            failure = {"error": f"{type(error).__name__}: {error}", "lease_fence": fence}
            post_until_answered(f"{path}/fail", failure, lost)
            return
        body = {
            "output": output,
            "state_patch": {},
            "lease_fence": fence,
            "idempotency_key": item["idempotency_key"],
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
        try:
            status, answer = claim()
        except Stop:
            break
        if status == 200:
            failures = 0
            if answer["claimed"]:
                work_on(answer["work_item"])
        elif is_final(status):
            sys.exit(f"the runtime refuses: {status} {answer.get('error')}")
        else:
            rest(failures)
            failures = min(failures + 1, 10)


main()
