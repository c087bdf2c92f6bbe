"""Session: who is here, their run and settings, share links, what they are told."""
