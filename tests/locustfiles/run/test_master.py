import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Locust changes the whole process that imports it, so it gets one of its own.
SCRIPT = """
import json
from locust import User
from locust.runners import WorkerNode
from locustfiles.run.master import dispatcher_for

class Writer(User): pass
class Reader(User): pass

nodes = {name: WorkerNode(name) for name in ("host_c", "host_a", "host_b", "host_d")}
deals = []
def deal(dispatcher, users=4, rate=1):
    dispatcher.new_dispatch(users, rate)
    deals.append(list(dispatcher))
    assert not dispatcher.dispatch_in_progress

dispatcher = dispatcher_for(2)([nodes["host_c"], nodes["host_a"]], [Writer, Reader])
deal(dispatcher)
deal(dispatcher, users=100, rate=50)      # asked for on the web page
dispatcher.add_worker(nodes["host_b"])    # a late one
deal(dispatcher)
dispatcher.remove_worker(nodes["host_a"]) # a lost one
deal(dispatcher)
dispatcher.add_worker(nodes["host_a"])    # which comes back
deal(dispatcher)
three = [nodes["host_d"], nodes["host_a"], nodes["host_b"]]
deal(dispatcher_for(2)(three, [Writer, Reader]))
print(json.dumps(deals))
"""
ONE, NONE = {"Writer": 1, "Reader": 1}, {"Writer": 0, "Reader": 0}


def test_each_worker_gets_one_of_each_class_once() -> None:
    """Nothing that happens later changes the deal: no redistribution, no ramp."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    both = {"host_a": ONE, "host_c": ONE}

    assert [
        [both],
        [both],
        [{**both, "host_b": NONE}],
        [{"host_c": ONE, "host_b": NONE}],
        [{**both, "host_b": NONE}],
        [{"host_a": ONE, "host_b": ONE, "host_d": NONE}],
    ] == json.loads(done.stdout)
