"""What every text passes before it is stored: it is cleaned, redacted and screened (SPEC 18, 55)."""
