"""Tables: bytes to text columns (read), kinds and roles (schema), matrices and distances (encode)."""
