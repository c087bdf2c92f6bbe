"""Rooms that the pages share. A room imports only from those before it: i18n, server, charts, components, session, experiments, views,
presenting, shell. CONTRIBUTING.md shows how a page is written with them.
"""
