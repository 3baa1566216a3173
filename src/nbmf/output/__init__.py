"""Folders of results: whole files, tables as CSV or a workbook, and reports."""
