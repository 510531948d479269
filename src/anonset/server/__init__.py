"""One server for pages and the REST API, behind one guard."""
