"""REaLTabFormer: rows as sentences of a small GPT-2 that is made from its settings."""

TITLE = "REaLTabFormer (realtabformer 0.2.4)"
LICENCE = "MIT"
ABSENT = (
    "Its fit stops with a TypeError: it hands transformers a setting, overwrite_output_dir, that the release which pip "
    "takes for it (5.23.0) no longer has. With an older transformers it was not seen to run yet."
)
