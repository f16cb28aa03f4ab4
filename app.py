"""The dashboard's door: page settings, the list of pages, and the way from each to the next; nothing else."""

from pathlib import Path

import streamlit as st

from riskkit.dashboard.frame import shell, sidebar, state, styles, tour
from riskkit.dashboard.pages import question_page
from riskkit.jobs.database import glance
from riskkit.language import speaking

st.set_page_config(page_title="riskkit", page_icon="🛡️", layout="wide")
state.keep_address()
with glance(), speaking(state.language()):
    written = state.pages(Path(__file__).parent / "pages")
    pages = sidebar.page_order([*written[:-1], *question_page.pages(written), written[-1]])
    opened = st.navigation(pages, position="hidden")
    st.set_page_config(page_title=f"{opened.title} · riskkit")
    mark = sidebar.show(pages, opened)
    tour.show()
    opened.run()
    mark()
    shell.onward(pages, opened)
    styles.ahead()
