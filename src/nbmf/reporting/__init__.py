"""Reports on a fit, a comparison or a clustering, as text and as a page.

`model` says what a report is made of; `fit_report`, `comparison_report` and `clustering_report` build one from results;
`text` and `html` render any of them.
"""
