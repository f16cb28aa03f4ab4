"""Tests of the questions an audit can ask."""
