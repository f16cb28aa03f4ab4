"""The dashboard's door: page settings and the list of pages, nothing else."""

from pathlib import Path

import streamlit as st

from riskkit.dashboard import state

st.set_page_config(page_title="riskkit", page_icon="🛡️", layout="wide")
state.keep_address()
st.navigation(state.pages(Path(__file__).parent / "pages")).run()
