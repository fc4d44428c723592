"""The intake: every text is cleaned, redacted and screened here before it is stored (SPEC 18)."""
