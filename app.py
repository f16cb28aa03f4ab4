"""The dashboard's door: page settings, the list of pages, and the way from each to the next; nothing else."""

from pathlib import Path

import streamlit as st

from riskkit.dashboard import frame, sidebar, state

st.set_page_config(page_title="riskkit", page_icon="🛡️", layout="wide")
state.keep_address()
pages = sidebar.ordered(state.pages(Path(__file__).parent / "pages"))
opened = st.navigation(pages, position="hidden")
st.set_page_config(page_title=f"{opened.title} · riskkit")
sidebar.show(pages, opened)
opened.run()
frame.onward(pages, opened)
