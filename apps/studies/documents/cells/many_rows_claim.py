"""The document's conclusion for n >> d, tried where n is large."""

from ...race.many_rows import judge_many_rows, race_on_many_rows
from ...report.claim_judging import above
from ...report.study_report import Claim, Context
from .cell_experiments import PEGASOS_BATCH

FAR = 2.0  # times: "way better"


def many_rows_claim(context: Context) -> Claim:
    """Judge whether Pegasos is way better than SDCA on skin, with the document's batches."""
    race = race_on_many_rows(context, intercept=False, batch_size=PEGASOS_BATCH)
    words = "n >> d: Pegasos performs way better than SDCA (CPU time of SDCA / that of Pegasos)"
    return judge_many_rows(race, words, "conclusions", above(FAR), of_sdca=True)
