"""The document's conclusion for n >> d, tried where n is large."""

from ..frame.claim_judging import above, judge, show_ratio
from ..frame.study_context import Context
from ..frame.study_report import Claim
from ..race.many_rows import cpu_ratios, decisive, race_on_many_rows
from .cell_experiments import PEGASOS_BATCH

FAR = 2.0  # times: "way better"


def many_rows_claim(context: Context) -> Claim:
    """Judge whether Pegasos is way better than SDCA on skin, with the document's batches."""
    race = race_on_many_rows(context, intercept=False, batch_size=PEGASOS_BATCH)
    return judge(
        "n >> d: Pegasos performs way better than SDCA (CPU time of SDCA / that of Pegasos)", "conclusions",
        race if isinstance(race, str) else cpu_ratios(race, of_sdca=True), above(FAR), show_ratio,
        why=decisive(race),
    )  # fmt: skip
