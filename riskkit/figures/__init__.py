"""The pictures of results as figures of plotly, for a page and for Python; nothing here knows streamlit."""
