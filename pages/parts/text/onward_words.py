"""Words of the ways on."""

NEXT = "Next: **{title}.** {sight}"
