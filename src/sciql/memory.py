"""How much memory there is, and whether columns fit into it."""

import os
import re
import resource
from pathlib import Path

from sciql.errors import SciqlError

COPIES = 6
"""How often a training holds the columns of a dataset at its most: as read, as the networks see them, the evidence."""
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def fits(size: float) -> bool:
    """Whether so many bytes of columns can be trained on in memory; larger ones stay on the disk."""
    return size * COPIES <= given()


def given() -> float:
    """Bytes: SCIQL_MEMORY if it is set, else the least of what the machine has and this process may use."""
    if chosen := os.environ.get("SCIQL_MEMORY"):
        words = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)b?", chosen.strip().lower())
        if words is None:
            raise SciqlError(f"SCIQL_MEMORY is {chosen!r}; write bytes, or a number with a unit such as 4GB")
        return float(words.group(1)) * UNITS[words.group(2)]
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    known = [limit for limit in (*limits, _group()) if limit not in (None, resource.RLIM_INFINITY)]
    return float(min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *known))


def _group() -> int | None:
    """What the control group of this process may use, as containers set it."""
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        path = Path(place)
        if path.is_file() and (limit := path.read_text().strip()).isdigit():
            return int(limit)
    return None
