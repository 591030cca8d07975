"""`serve`: a model that answers over HTTP."""

import signal

import click

from ...common.errors import FAILED, AppError
from ...common.options import COUNT, FiniteRange
from ...common.output import many, note, print_line, tidy_warnings
from ...common.progress import Stages
from ._options import command

MIB = 1 << 20  # bytes


@command("serve reviews.safetensors --port 8000", "serve english --port 0")
@click.argument("model")
@click.option("--host", default="127.0.0.1", help="Address to listen at; by default for this computer only.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, help="Port to listen at; 0 takes one that is free."
)
@click.option(
    "--max-body-mib", type=click.IntRange(1, 64), default=1, metavar="N", help="Largest request, in MiB."
)
@click.option("--max-texts", type=COUNT, default=1000, metavar="N", help="Most texts in a request.")
@click.option("--max-connections", type=COUNT, default=512, metavar="N", help="Most clients at a time.")
@click.option(
    "--timeout",
    type=FiniteRange(min=0, min_open=True, max=3600),
    default=10.0,
    metavar="SECONDS",
    help="Time that a client has for sending a request, and for reading the answer.",
)
def serve(model, host, port, max_body_mib, max_texts, max_connections, timeout, quiet, verbose):
    """Serve MODEL over HTTP: texts in, labels out, as JSON.

    POST /predict takes {"text": "..."} and answers {"label": ..., "score": ...} with, where the model has
    them, probabilities; it takes {"texts": [...]} or a list too, and answers a list. GET /health tells that
    all is well. GET / shows how to ask.

    MODEL is a file that train wrote, or `english`. The address is printed once requests are taken. On Ctrl-C
    or SIGTERM those that have begun are answered before the end; the second time it ends at once.
    """
    import asyncio

    from ..measures import prediction
    from ..output.server import Limits, Service

    with tidy_warnings(), Stages(verbose, spinner=not quiet) as stage, stage("load"):
        name, model = model, prediction.load_scorer(model)
    service = Service(model, name, Limits(max_body_mib * MIB, max_texts, timeout, max_connections))

    async def run():
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, service.stop)
            except NotImplementedError:  # on Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(service.stop))
        return await service.run(host, port, started)

    def started(urls):
        for url in urls:
            print_line(url)
        click.get_text_stream("stdout").flush()
        if host not in ("127.0.0.1", "::1", "localhost"):
            note(f"note: whoever reaches {host} can ask; there is no password and no encryption")

    try:
        complete = asyncio.run(run())
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise AppError(f"{host}:{port}: cannot listen there ({why}); try another --port or --host") from error
    note(f"stopped; {many(service.n_answered, 'request')} answered, {service.n_refused:,} refused")
    return None if complete else FAILED
