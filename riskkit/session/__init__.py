"""Questions asked of tables outside the dashboard: what a notebook and the command line share."""
