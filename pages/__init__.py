"""One file here is one page a visitor can open; what pages share lives in `pages.ui`."""
