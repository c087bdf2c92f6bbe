"""Layout: page frame, sidebar, navigation, player, style sheet."""
