"""Components: custom Streamlit components, a folder each with its .py, .js and .css."""
