"""Reports of a run: pictures of charts and steps, an animation, a page that replays it, and a chart for notebooks."""
