"""One module per document, which measures its claims in the order of the document."""
