"""Words of the ways on."""

NEXT = "Next: **{title}.** {sight}"
WAYS = (
    ("watch.py", "Watch", ":material/visibility:"),
    ("tour.py", "Take the tour", ":material/hiking:"),
    ("stage.py", "On stage", ":material/co_present:"),
)
