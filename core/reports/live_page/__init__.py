"""A live page: one HTML file with a small Llama, its tokenizer and the live view, which writes new text without a network."""
