"""The dashboard's door: page settings, the list of pages, and the way from each to the next; nothing else."""

from pathlib import Path

import streamlit as st

from riskkit.dashboard import frame, state

st.set_page_config(page_title="riskkit", page_icon="🛡️", layout="wide")
state.keep_address()
pages = state.pages(Path(__file__).parent / "pages")
opened = st.navigation(pages)
st.set_page_config(page_title=f"{state.bare(opened.title)} · riskkit")
opened.run()
frame.onward(pages, opened)
