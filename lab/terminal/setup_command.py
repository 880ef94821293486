"""`setup`: start the stack, ask it what it is, report."""

from lab.embedded_redis import answers
from lab.errors import PartFailed
from lab.terminal.setup_report import ServerFacts, setup_report
from lab.terminal.workbench import Workbench


def setup(workbench: Workbench) -> list[str]:
    """Report what was read from the server and the service."""
    with workbench.bench("naive") as bench:
        redis = bench.client.describe()["redis"]
        if redis is None:
            raise PartFailed("The service could not ask its Redis server for the version.")
        facts = ServerFacts(
            ping=answers(bench.stack.redis_url),
            server=redis["server"],
            version=redis["version"],
            redis_version=redis["redis_version"],
            redis_py=redis["redis_py"],
        )
    return setup_report(facts)
