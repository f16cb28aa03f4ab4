"""Pictures on a page: blocks of a view as figures of plotly."""
