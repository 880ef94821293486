"""What every report with figures says about them."""


def measured_here(ledger: str) -> list[str]:
    """Tell measured figures from projected ones."""
    where = f"this machine and a synthetic workload, LEDGER={ledger}"
    return [
        f"Local figures: {where}; not production capacity.",
        "Without a ledger, because they are about what a key costs, not about a durable write.",
        "Projected figures: from the scenario assumptions, not measured.",
    ]
