from locustfiles.recording.last_scores import Accepted, LastScores


def test_the_last_scores_of_players() -> None:
    """The greater sequence stays, whichever message comes last, and doubt stays."""
    scores = LastScores()
    scores.add_message(LastScores({0: Accepted(5, 1), 1: Accepted(8, 2)}, set()).as_message())
    scores.add_message(LastScores({1: Accepted(7, 3)}, {0}).as_message())
    scores.add_message(LastScores({0: Accepted(6, 9)}, set()).as_message())

    assert LastScores({0: Accepted(6, 9), 1: Accepted(8, 2)}, {0}) == scores
