"""The members that the scenario makes."""

from locustfiles.scenarios.achievements import history_of


def test_a_history_is_possible_and_the_same_in_every_run() -> None:
    """Each step of the funnel leaves fewer; some members reach its end, and some nothing."""
    histories = [history_of(player) for player in range(2_000)]

    for one in histories:
        assert one["signups"] >= one["organizations"] >= one["paid_accounts"] >= 0
        assert one["page_views"] >= one["unique_visitors"] >= 0
    assert histories == [history_of(player) for player in range(2_000)]
    assert max(one["paid_accounts"] for one in histories) > 0
    assert min(one["page_views"] for one in histories) == 0
