"""The keys of the boards."""

from workload.assumptions import Assumptions
from workload.partitions import global_key, partition_keys


def test_the_baseline_has_twelve_keys_in_product_order() -> None:
    """Region is outermost, season innermost."""
    assert partition_keys(Assumptions()) == (
        "lb:na-east:solo:s1",
        "lb:na-east:duo:s1",
        "lb:na-east:squad:s1",
        "lb:na-west:solo:s1",
        "lb:na-west:duo:s1",
        "lb:na-west:squad:s1",
        "lb:eu:solo:s1",
        "lb:eu:duo:s1",
        "lb:eu:squad:s1",
        "lb:apac:solo:s1",
        "lb:apac:duo:s1",
        "lb:apac:squad:s1",
    )


def test_seasons_are_the_innermost_part_of_the_product() -> None:
    """Two seasons of one board are neighbours."""
    assumptions = Assumptions(regions=("eu",), modes=("solo", "duo"), active_seasons=("s1", "s2"))

    assert partition_keys(assumptions) == (
        "lb:eu:solo:s1",
        "lb:eu:solo:s2",
        "lb:eu:duo:s1",
        "lb:eu:duo:s2",
    )


def test_the_global_key_names_its_season() -> None:
    """One key holds all players of a season."""
    assert global_key("s1") == "lb:global:all:s1"
