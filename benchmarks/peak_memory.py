"""Run a command and print its seconds and peak resident memory, as the operating system accounts them.

A program of its own, without the project's packages: on Linux a process starts with the peak of the one
that started it, so that one must be small.
"""

import json
import os
import subprocess
import sys
import time

if __name__ == "__main__":
    began = time.perf_counter()
    # The command's own output must not mix with the account.
    process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    account = {
        "exit_code": os.waitstatus_to_exitcode(status),
        "seconds": time.perf_counter() - began,
        "peak_bytes": usage.ru_maxrss * unit,
    }
    print(json.dumps(account))
