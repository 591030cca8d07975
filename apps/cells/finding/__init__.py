"""Find the cells of a photograph: scale, stain, masks, white cells, red cells, platelets."""
