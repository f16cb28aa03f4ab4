"""What is about an audit as a whole: give-aways, what a report reads, exports, the self-test, the sample, studies."""
