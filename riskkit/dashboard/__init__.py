"""What the pages are made of; the only package that imports streamlit."""

from riskkit.base import process

process.close()  # before anything is served: however the server was started, this package is loaded first
