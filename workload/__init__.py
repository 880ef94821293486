"""The traffic model: assumptions become rates, partitions, players, popularity and arrivals."""
