"""`python -m locustfiles`: Locust with our load and the options it is given, and no others.

Started as `python -m locust -f locustfiles/locustfile.py` it reads `~/.locust.conf`, `locust.conf`
and the variables LOCUST_* too. They may be set on purpose there; here, where a run starts by
itself, they would come from another load test.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

# before Locust is imported, which reads some of them at once
for name in [name for name in os.environ if name.startswith("LOCUST_")]:
    del os.environ[name]

from locust.argument_parser import LocustArgumentParser  # noqa: E402  only now
from locust.main import main  # noqa: E402

from locustfiles.run.locust_events import typed  # noqa: E402


def _no_files(_: LocustArgumentParser, __: Sequence[str]) -> list[object]:
    return []


LocustArgumentParser._open_config_files = _no_files  # noqa: SLF001  there is no option for it
sys.argv[1:1] = ["-f", str(Path(__file__).with_name("locustfile.py"))]
typed(main)()
