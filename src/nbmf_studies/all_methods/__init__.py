"""Every method that can be compared, beside predictions that use no component."""
