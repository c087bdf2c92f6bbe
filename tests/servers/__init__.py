"""Tests against real inference servers: run where a llama-server was built (`python -m tests.servers.build`), skipped elsewhere."""
