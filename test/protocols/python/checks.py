"""Runs checks one after another, and prints a line for each, which the leg counts."""

import asyncio
import traceback

_checks = []


def check(function):
    _checks.append(function)
    return function


def run_checks():
    for function in _checks:
        name = function.__name__.replace("_", " ")
        try:
            asyncio.run(asyncio.wait_for(function(), 60))
            print(f"PASSED {name}", flush=True)
        except BaseException:
            traceback.print_exc()
            print(f"FAILED {name}", flush=True)
