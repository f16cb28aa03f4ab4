"""What the pages are made of; the only package that imports streamlit."""

from riskkit import private

private.close()  # before anything is served: however the server was started, this package is loaded first
