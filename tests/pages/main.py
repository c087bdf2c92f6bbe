"""Main script for Streamlit's AppTest: runs app.py from a folder that has no `pages` beside it.

With a `pages` folder beside the main script AppTest draws the pages without app.py.
"""

import runpy
from pathlib import Path

if __name__ == "__main__":
    runpy.run_path(str(Path(__file__).parents[2] / "app.py"), run_name="__main__")
