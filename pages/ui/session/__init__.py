"""One visitor: their run, settings, notices, share links and role."""
