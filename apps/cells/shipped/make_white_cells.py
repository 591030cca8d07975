"""Train the model that is shipped, white_cells.safetensors.

    python apps/cells/shipped/make_white_cells.py CELLS            train and replace it
    python apps/cells/shipped/make_white_cells.py CELLS --check    train, and compare with what is shipped

CELLS is a folder with `images/<CLASS>/*.jpeg` and `groups.csv` (columns file, original). The model card,
MODEL_CARD.md, says where such images come from.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import fastsvm
from fastsvm_apps.cells.model.settings import Settings
from fastsvm_apps.cells.model.training import train
from fastsvm_apps.cells.output.score_tables import print_training
from fastsvm_apps.common.progress import Stages

TARGET = Path(__file__).with_name("white_cells.safetensors")


def main():
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cells", type=Path, help="folder with images/ and groups.csv")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 on a difference")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Stages(spinner=True) as stage:
        path = str(Path(folder) / TARGET.name) if options.check else str(TARGET)
        images, groups = str(options.cells / "images"), str(options.cells / "groups.csv")
        result = train([images], path, Settings(), groups=groups, stage=stage)
        made = fastsvm.load_model(path)
    print_training(result, stage.seconds)
    if options.check:
        shipped = fastsvm.load_model(TARGET)
        # The last digits of features depend on the version of OpenCV.
        if not np.allclose(made[-1].coef_, shipped[-1].coef_, rtol=0.05, atol=1e-3):
            sys.exit(f"{TARGET.name} is not what these images make")


if __name__ == "__main__":
    main()
