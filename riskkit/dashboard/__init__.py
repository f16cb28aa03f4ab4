"""What the pages are made of; the only package that imports streamlit."""
