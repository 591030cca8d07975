"""The second app: find the white cells in images of stained blood smears and classify them."""
