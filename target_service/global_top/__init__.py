"""The global top K, put together once for everybody instead of once for every request."""
