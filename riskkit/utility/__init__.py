"""How useful a release still is: what can be learnt from it, measured on real rows."""
