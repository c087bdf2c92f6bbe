"""The longer texts of Many readers where the model is on a server."""

LEAD = (
    "The model is on a server, which has a scheduler of its own. So these readers are real requests, sent together; when each word came is "
    "measured here, and what the server does meanwhile it says itself."
)
READERS = "Readers"
LENGTH = "Tokens each"
START, AGAIN, STOP = "Send them all", "Once more", "Stop"
FIRST = "Press the button: {count} requests at the same moment, with your settings. The server throws its own dice."
TITLE = "As seen from here"
LINE = "Grey: waits for its first word (way, queue and prompt together). Blue: words come."
FIGURES = (
    "**{rate} tokens a second** for all ({tokens} in {seconds}). First word after {first} (median; 95 %: {slow_first}), each further one "
    "after {each} (95 %: {slow_each})."
)
WORD = "What the server says"
WORD_TERM = "the server's word, over all who use it"
RUNNING, WAITING, CACHE, RATE = "running", "waiting", "KV cache in use", "tokens a second (counted here)"
BATCH = "By its own count, {rows} requests were in a pass on average."
SILENT = "This server says nothing of itself (vLLM: /metrics; llama-server: --metrics and --slots)."
WHY = (
    "A server on few cores can shorten the wait for the first word by batching and write no more a second for it: what is measured is "
    "drawn, nothing is claimed. A llama-server without continuous batching calls slots running that only wait."
)
REFUSED = "Reader {reader}: {error}"
EMPTY_USED = "running, by the server's word"
