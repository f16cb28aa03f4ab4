"""Keeping audits and playing their runs. This room is handed the question that it plays, and imports none.

Each module may use those before it: ``machine`` (processes, clock, versions), ``codec`` (results as bytes),
``engines`` and ``cluster`` (where units of work are worked out), ``pool`` (units in order, with progress),
``database`` (the tables), ``people`` (who acts), ``leases`` (who may write to a run), ``ledger`` (the book of a run),
``journal`` (who did what), ``files`` (what is kept of an audit), ``runs``, ``retention`` (what is removed, and when),
``store``, ``worker`` (playing runs).
"""
