"""Text: the words on screen, and numbers as people read them."""
