"""What was found, in a JSON file: each part with the runs' figures, and with what machine and which source they were made."""

import json
import os
import platform
import re
import subprocess
import time


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = re.search(r"model name\s*:\s*(.*)", info.read())
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {
        "processor": model.group(1) if model else platform.processor(),
        "cores": os.cpu_count(),
        # The rest of a kernel's name says who built it.
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "load": round(os.getloadavg()[0], 2),
    }


def read(file):
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def keep(file, part, found):
    """Puts a part in the place of the one before it."""
    everything = read(file)
    everything[part] = {"machine": machine(), "found": found}
    new = file.with_suffix(".new")
    new.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(file)
