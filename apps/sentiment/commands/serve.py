"""`serve`: a model that answers over HTTP."""

import click

from ...common.errors import FAILED
from ...common.options import section
from ...common.paths import Reads
from ...common.printing import many, note, print_line
from ._options import command


@command("serve reviews.safetensors --port 8000", "serve english --port 0", needs_stdout=False)
@click.argument("model", type=Reads())
@section(
    "Server",
    click.option(
        "--host", default="127.0.0.1", help="Address to listen on. The default serves this computer only."
    ),
    click.option(
        "--port", type=click.IntRange(0, 65535), default=8000, help="Port to listen on; 0 is any free port."
    ),
)
def serve(model, host, port, stage, verbose):
    """Serve MODEL over HTTP: texts in, labels out, as JSON.

    POST /predict takes {"text": "..."} and answers {"label": ..., "score": ...}, with probabilities if the
    model has them; a model of several labels per text answers with a list, `labels`. POST /predict also takes
    {"texts": [...]} or a list, and then answers with a list. GET /health answers while the server runs. GET /
    shows example requests.

    MODEL is a file that `train` wrote, or `english`. The server prints its address when it is ready. Ctrl-C
    or SIGTERM finishes the running requests and stops the server; a second signal stops it immediately.

    The environment variables FASTSVM_SERVE_MAX_BODY_MIB (1), FASTSVM_SERVE_MAX_TEXTS (1000),
    FASTSVM_SERVE_MAX_CONNECTIONS (512) and FASTSVM_SERVE_TIMEOUT (10 seconds) limit the requests.
    """
    from ..measures import prediction
    from ..output.text_server import Service

    with stage, stage("load"):
        scorer, about = prediction.load_scorer(model), prediction.about_model(model)
    service = Service(scorer, model, about)

    def started(url):
        print_line(url)
        click.get_text_stream("stdout").flush()
        if host not in ("127.0.0.1", "::1", "localhost"):
            note(f"note: anybody who reaches {host} can send requests; there is no password or encryption")

    complete = service.run(host, port, started)
    note(f"stopped; {many(service.n_answered, 'request')} answered, {service.n_refused:,} refused")
    return None if complete else FAILED
