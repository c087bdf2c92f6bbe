"""The one view of a run that moves with every token: what it is sent, what a visitor can do, and its routes."""
