"""The documents' data where they are, where they are not, and where they are damaged."""

import numpy as np
import pytest

from fastsvm_apps.common.errors import AppError
from fastsvm_apps.studies.documents import digits, kernels, sentiment


def test_another_set_is_not_taken(tmp_path):
    np.savez(tmp_path / "usps.npz", X=np.zeros((30, 7)), y=np.arange(30) % 10)
    with pytest.raises(
        AppError, match=r"as usps is another set, of the shape \(30, 7\) and with the labels 0, 1"
    ):
        digits.read_digits(str(tmp_path))
    (tmp_path / "jain.csv").write_text("x,y,label\n0,1,1\n2,3,1\n")
    with pytest.raises(
        AppError, match=r"as jain is another set, of the shape \(2, 2\) and with the labels 1"
    ):
        sentiment.points_of("jain", str(tmp_path), 0)
    lines = [f"books {label} {k}.txt so it is" for k, label in enumerate(["good", "bad"] * 20)]
    (tmp_path / "sentiment.txt").write_text("\n".join(lines))
    with pytest.raises(AppError, match=r"sentiment.txt: has the labels bad, good, and the article neg and"):
        sentiment.read_texts(str(tmp_path))


def test_a_report_says_what_the_folder_lacks(tmp_path):
    for folder, said in ((None, False), (str(tmp_path), True)):
        two = digits.data_words(digits.read_digits(folder), folder)
        for words in (two, kernels.read_digits(folder, None)[-1]):
            assert "scikit-learn's digits" in words
            assert ("the data has no usps.npz." in words) is said
