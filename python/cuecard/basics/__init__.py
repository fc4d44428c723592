"""Small things that every room shares and that need nothing but the errors: characters, JSON, tables, times."""
