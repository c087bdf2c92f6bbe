"""A model on an inference server, as if it were here: how each kind of server is asked, and which of its numbers are exact."""
