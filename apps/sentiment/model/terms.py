"""The terms of a model as people read them."""

import numpy as np


def bags_of(vectorizer) -> list:
    """Return the bags that stand side by side in a vectorizer, or it alone."""
    return getattr(vectorizer, "bags", [vectorizer])


def has_characters(vectorizer) -> bool:
    """Tell whether a vectorizer counts character n-grams."""
    return any(bag.analyzer == "char_wb" for bag in bags_of(vectorizer))


def shown_terms(vectorizer) -> np.ndarray:
    """Return the terms in the order of their columns; character n-grams are in quotes, with their blanks."""
    names = [
        [f"'{term}'" for term in bag.get_feature_names_out()]
        if bag.analyzer == "char_wb"
        else bag.get_feature_names_out()
        for bag in bags_of(vectorizer)
    ]
    return np.concatenate([np.asarray(each, dtype=object) for each in names])
