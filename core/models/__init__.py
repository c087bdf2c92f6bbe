"""Where models come from, whether they fit, how they are loaded and how many stay in memory."""
