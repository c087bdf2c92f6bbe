"""Conversations: messages, the chat template that writes them, and thoughts in an answer. Knows no model."""
