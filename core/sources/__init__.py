"""What answers "what comes after these tokens?": one interface for local models, servers and recordings, and what each of them can do."""
