"""The lock under which transformers is imported after the first step: two threads in one circle of imports can meet half a module."""

from __future__ import annotations

from threading import RLock

LATE_IMPORTS = RLock()
