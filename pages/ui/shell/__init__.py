"""Layout: page frame, sidebar, navigation, player, palette, style sheet."""
