"""Votes of the UN General Assembly as they were cast: no, abstain, yes, and session after session."""
