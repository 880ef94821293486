from locustfiles.recording.host_facts import git_facts, host_facts, version_facts


def test_facts_are_read_and_not_assumed() -> None:
    """What is not known is null, never a guess."""
    versions = version_facts({"server": "valkey", "version": "9.1.2", "redis_py": "8.1.0"})

    assert ("valkey 9.1.2", "8.1.0") == (versions["redis_server"], versions["redis_py"])
    assert "2.47.0" == versions["locust"]
    assert (None, None) == tuple(version_facts(None)[name] for name in ("redis_server", "redis_py"))
    assert {"cpu", "cores", "memory_bytes", "os"} == set(host_facts())
    assert {"git_revision", "git_dirty"} == set(git_facts())
