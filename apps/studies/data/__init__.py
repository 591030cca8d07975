"""The data of the studies: given, fetched, or what comes with the package."""
